/**
 * Runs one projection: reads its stream in order from the watermark, applies what has gathered in one transaction
 * together with the new watermark, announces it.
 *
 * Invariants
 *  - The watermark is set only where it stands at what this projector read last. Two projectors at once (a lease that
 *    was believed in twice) therefore never apply a message twice: one of them loses its transaction and starts over.
 *  - Postgres gone: nothing is applied, nothing is lost, the buffer is bounded (BUFFER_MAX); reading starts again from
 *    the watermark when it is back.
 *  - One message that cannot be applied never stops the rest: where a batch fails for its data, its messages are applied
 *    one by one, and the one that fails is noted in `projection_faults`, shown by health, and passed over.
 *  - A projection whose version was raised, or whose watermark was taken away, is built again from the beginning.
 */
import type { JsMsg } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import type { Kysely, Transaction } from "kysely"
import type { Database } from "../database.ts"
import { followStream } from "../engine/follow.ts"
import type { Message, Projection } from "./projection.ts"

const BATCH_MAX = 2000
const BUFFER_MAX = 8000
const RETRY_MS = 250
/** How often an idle projector looks whether its watermark was taken away (a rebuild). */
const IDLE_CHECK_MS = 1000

export class Projector {
  private readonly nats: NatsConnection
  private readonly db: Kysely<Database>
  private readonly projection: Projection
  private readonly announce: (seq: number) => void
  private buffer: Array<Message> = []
  private wake: (() => void) | null = null
  private running = false
  private ended: Promise<void> = Promise.resolve()

  constructor(nats: NatsConnection, db: Kysely<Database>, projection: Projection, announce: (seq: number) => void) {
    this.nats = nats
    this.db = db
    this.projection = projection
    this.announce = announce
  }

  start(): void {
    if (this.running) return
    this.running = true
    this.ended = this.ended.then(() => this.run())
  }

  async stop(): Promise<void> {
    this.running = false
    this.wake?.()
    await this.ended
  }

  private async run(): Promise<void> {
    while (this.running) {
      try {
        await this.follow(await this.position())
      } catch (error) {
        if (!this.running) return
        console.error(JSON.stringify({ level: "warn", at: "projector", projection: this.projection.name, error: String(error) }))
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  /** Where the tables stand; they are emptied first when they are of an older version. */
  private async position(): Promise<number> {
    const { name, version } = this.projection
    const seq = await this.stands()
    if (seq > 0) return seq
    await this.db.transaction().execute(async (trx) => {
      await this.projection.clear(trx)
      await trx.deleteFrom("projection_faults").where("projection", "=", name).execute()
      await trx
        .insertInto("projections")
        .values({ name, version, seq: 0 })
        .onConflict((conflict) => conflict.column("name").doUpdateSet({ version, seq: 0 }))
        .execute()
    })
    return 0
  }

  private async follow(from: number): Promise<void> {
    let watermark = from
    this.buffer = []
    let overflowed = false
    const following = await followStream(this.nats, this.projection.stream, watermark + 1, (message) => {
      // Once one is left out, so is everything behind it.
      if (this.buffer.length >= BUFFER_MAX) overflowed = true
      if (overflowed) return
      this.buffer.push(toMessage(message))
      this.wake?.()
    })
    try {
      while (this.running) {
        if (this.buffer.length === 0) {
          // What did not fit is read again from the watermark.
          if (overflowed) return
          if (!(await this.gathered()) && (await this.stands()) !== watermark) return
          continue
        }
        const batch = this.buffer.splice(0, BATCH_MAX)
        watermark = await this.applyOrPassOver(batch, watermark)
        this.announce(watermark)
      }
    } finally {
      following.stop()
    }
  }

  /** False when nothing has come for a while. */
  private gathered(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), IDLE_CHECK_MS)
      this.wake = () => {
        clearTimeout(timer)
        resolve(true)
      }
    })
  }

  /** The watermark as the tables have it; -1 when it was taken away. */
  private async stands(): Promise<number> {
    const { name, version } = this.projection
    const row = await this.db.selectFrom("projections").select(["seq", "version"]).where("name", "=", name).executeTakeFirst()
    return row === undefined || row.version !== version ? -1 : Number(row.seq)
  }

  private async applyOrPassOver(batch: ReadonlyArray<Message>, watermark: number): Promise<number> {
    try {
      return await this.applyBatch(batch, watermark)
    } catch (error) {
      if (!isDataFault(error)) throw error
      let at = watermark
      for (const message of batch) {
        try {
          at = await this.applyBatch([message], at)
        } catch (fault) {
          if (!isDataFault(fault)) throw fault
          at = await this.passOver(message, at, fault)
        }
      }
      return at
    }
  }

  /** Notes the message and moves the watermark behind it, in one transaction. */
  private async passOver(message: Message, watermark: number, fault: unknown): Promise<number> {
    const { seq, kind, id } = message
    const error = String(fault)
    console.error(JSON.stringify({ level: "error", at: "projector", projection: this.projection.name, seq, kind, id, error }))
    await this.moving(watermark, seq, async (trx) => {
      await trx
        .insertInto("projection_faults")
        .values({ projection: this.projection.name, seq, kind, id, error })
        .onConflict((conflict) => conflict.columns(["projection", "seq"]).doUpdateSet({ error }))
        .execute()
    })
    return seq
  }

  private async applyBatch(batch: ReadonlyArray<Message>, watermark: number): Promise<number> {
    const next = batch.at(-1)?.seq ?? watermark
    await this.moving(watermark, next, (trx) => this.projection.apply(trx, batch))
    return next
  }

  private async moving(from: number, to: number, act: (trx: Transaction<Database>) => Promise<void>): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      const moved = await trx
        .updateTable("projections")
        .set({ seq: to })
        .where("name", "=", this.projection.name)
        .where("seq", "=", String(from))
        .executeTakeFirst()
      if (moved.numUpdatedRows !== 1n) throw new Error("the watermark was moved by another")
      await act(trx)
    })
  }
}

/** A fault of what was to be written, which no other try will mend: SQLSTATE classes 22 and 23, or a commit that is no JSON. */
const isDataFault = (error: unknown): boolean =>
  error instanceof SyntaxError || error instanceof TypeError || (error instanceof Error && "code" in error && /^2[23]/.test(String(error.code)))

const toMessage = (message: JsMsg): Message => {
  const parts = message.subject.split(".")
  return {
    seq: message.seq,
    kind: parts[2] ?? "",
    id: parts.slice(3).join("."),
    storedAt: Math.floor(message.info.timestampNanos / 1_000_000),
    data: message.data
  }
}
