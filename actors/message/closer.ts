/**
 * Gives up numbers of messages that nobody commits: their node has died, stands still, or drew them for a message that
 * was refused.
 *
 * Invariants
 *  - A number is given up by a commit on the subject that its message would begin. A late message is refused by the log
 *    there, and its sender's node draws another number: no message is lost.
 *  - The commit goes to the log itself and to no actor: the node that stands still may be the actor's owner.
 *  - The node that runs the projections closes gaps. Two that believe it of themselves append the same commit once.
 */
import { Clock, Effect } from "effect"
import type { Kysely } from "kysely"
import { monotonicMs, wallMs } from "../../schemas/runtime/clock.ts"
import type { Database } from "../tables/database.ts"
import type { EventLog } from "../log/commit.ts"
import { toItsEnd } from "../projections/steps.ts"
import { voidNumber } from "./void.ts"

/** A gap that is seen for so long is closed. Shorter than readers wait for it (queries.ts). */
const GRACE_MS = 1_000
const LOOK_MS = 250
const RETRY_MS = 5_000
/** Gaps of one look; the others wait. */
const LOOK_MAX = 500

interface CloserParts {
  readonly db: Kysely<Database>
  readonly log: EventLog
}

export class GapCloser {
  /** Closes gaps until it is interrupted. */
  readonly run: Effect.Effect<never>
  private readonly parts: CloserParts
  /** By number, when it was seen first (monotonic ms); never again once it was tried. */
  private seen: ReadonlyMap<string, number> = new Map()

  constructor(parts: CloserParts) {
    this.parts = parts
    const look = Effect.flatMap(Clock.Clock, (clock) => toItsEnd(() => this.look(clock)))
    const looked = Effect.catch(Effect.andThen(look, Effect.sleep(LOOK_MS)), (error) =>
      Effect.andThen(Effect.annotateLogs(Effect.logWarning(error), { at: "message gaps" }), Effect.sleep(RETRY_MS))
    )
    this.run = Effect.forever(looked)
  }

  private async look(clock: Clock.Clock): Promise<void> {
    const rows = await this.parts.db.selectFrom("message_gaps").select("id").orderBy("id").limit(LOOK_MAX).execute()
    const now = monotonicMs(clock)
    const seen = new Map(rows.map(({ id }) => [id, this.seen.get(id) ?? now]))
    const due = rows.filter(({ id }) => (seen.get(id) ?? now) <= now - GRACE_MS)
    this.seen = seen
    await Promise.all(
      due.map(async ({ id }) => {
        const result = await voidNumber(this.parts.log, id, wallMs(clock))
        // A conflict says that the number is settled: the table will follow.
        if (result.ok || result.reason === "conflict") seen.set(id, Number.POSITIVE_INFINITY)
      })
    )
  }
}
