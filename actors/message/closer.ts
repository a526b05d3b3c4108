/**
 * Closes message numbers that will never be used: their node has died or is frozen, or drew them for a message that was
 * refused.
 *
 * Invariants
 *  - A number is given up by a commit on the subject of its message. The log then refuses a late message on that
 *    subject, and its sender's node draws another number. So no message is lost.
 *  - The commit is appended to the log without asking an actor, because the actor's owner may be the frozen node.
 *  - The node that runs the projections closes gaps. If two nodes believe that they do, the commit is still appended
 *    only once.
 */
import { Clock, Effect } from "effect"
import type { Kysely } from "kysely"
import { monotonicMs, wallMs } from "../../schemas/runtime/clock.ts"
import type { Database } from "../tables/database.ts"
import type { EventLog } from "../log/commit.ts"
import { toItsEnd } from "../projections/steps.ts"
import { voidNumber } from "./void.ts"

/** A gap that exists for this long is closed. Readers wait longer than this for a gap (gaps.ts). */
const GRACE_MS = 1_000
const LOOK_MS = 250
const RETRY_MS = 5_000
/** The most gaps that are closed at the same time. */
const TOGETHER_MAX = 500

interface SeenTop {
  /** Monotonic time in ms. */
  readonly at: number
  readonly top: number
}

interface CloserParts {
  readonly db: Kysely<Database>
  readonly log: Pick<EventLog, "append">
}

export class GapCloser {
  readonly run: Effect.Effect<never>
  private readonly parts: CloserParts
  /**
   * The highest gap at each check of the last second, the oldest first. Gaps are noted in order, so all lower gaps
   * existed too.
   */
  private seen: ReadonlyArray<SeenTop> = []
  /** Gaps up to this number are due. */
  private due = 0
  /** Gaps up to this number are settled in the log, and the table will follow. */
  private closed = 0

  constructor(parts: CloserParts) {
    this.parts = parts
    const look = Effect.flatMap(Clock.Clock, (clock) => toItsEnd(() => this.look(clock)))
    const looked = Effect.catch(Effect.andThen(look, Effect.sleep(LOOK_MS)), (error) =>
      Effect.andThen(Effect.annotateLogs(Effect.logWarning(error), { at: "message gaps" }), Effect.sleep(RETRY_MS))
    )
    this.run = Effect.forever(looked)
  }

  async look(clock: Clock.Clock): Promise<void> {
    const { db } = this.parts
    const { top } = await db
      .selectFrom("message_gaps")
      .select(({ fn }) => fn.max("id").as("top"))
      .executeTakeFirstOrThrow()
    if (top === null) {
      this.seen = []
      this.due = 0
      this.closed = 0
      return
    }
    const at = monotonicMs(clock)
    this.due = Math.max(this.due, ...this.seen.filter((one) => one.at <= at - GRACE_MS).map((one) => one.top))
    this.seen = [...this.seen.filter((one) => one.at > at - GRACE_MS), { at, top: Number(top) }]
    while (this.closed < this.due && (await this.closeMore(wallMs(clock)))) continue
  }

  /** Closes as many gaps as possible, the lowest first. Resolves to false if it must be tried again later. */
  private async closeMore(at: number): Promise<boolean> {
    const { db, log } = this.parts
    const rows = await db
      .selectFrom("message_gaps")
      .select("id")
      .where("id", ">", String(this.closed))
      .where("id", "<=", String(this.due))
      .orderBy("id")
      .limit(TOGETHER_MAX)
      .execute()
    const results = await Promise.all(rows.map(({ id }) => voidNumber(log, id, at)))
    if (results.some((result) => !result.ok && result.reason !== "conflict")) return false
    this.closed = rows.length < TOGETHER_MAX ? this.due : Number(rows.at(-1)?.id)
    return true
  }
}
