/**
 * Brings batches of a stream into a projection's tables, each in one transaction with the watermark.
 *
 * Invariants
 *  - The watermark is set only where it stands at what was read last. Two appliers at once (a lease that was believed
 *    in twice, two rebuilds) therefore never apply a message twice: one of them loses its transaction. So does an older
 *    release whose tables a newer one has replaced.
 *  - One message that cannot be applied never stops the rest: where a batch fails for its data, its messages are
 *    applied one by one, and the one that fails is noted in `projection_faults`, shown by health, and passed over.
 *  - One that this release does not know stops it: what comes before it is applied, the watermark stands there.
 *  - Which tables these are is the connection's matter: the served ones, or those that a rebuild makes beside them.
 */
import type { Kysely, Transaction } from "kysely"
import type { Database } from "../database.ts"
import { UnknownEvent } from "../engine/fold.ts"
import type { Message, Projection } from "./projection.ts"

export class Applier {
  private readonly db: Kysely<Database>
  private readonly projection: Projection
  /** Since the start. */
  readonly counts = { transactions: 0, messages: 0, faults: 0 }

  constructor(db: Kysely<Database>, projection: Projection) {
    this.db = db
    this.projection = projection
  }

  /** The watermark afterwards. */
  async apply(batch: ReadonlyArray<Message>, watermark: number): Promise<number> {
    try {
      return await this.applyBatch(batch, watermark)
    } catch (error) {
      if (!isDataFault(error) && !(error instanceof UnknownEvent)) throw error
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
    console.error(
      JSON.stringify({ level: "error", at: "projector", projection: this.projection.name, seq, kind, id, error })
    )
    await this.moving(watermark, seq, async (trx) => {
      await trx
        .insertInto("projection_faults")
        .values({ projection: this.projection.name, seq, kind, id, error })
        .onConflict((conflict) => conflict.columns(["projection", "seq"]).doUpdateSet({ error }))
        .execute()
    })
    this.counts.faults++
    return seq
  }

  private async applyBatch(batch: ReadonlyArray<Message>, watermark: number): Promise<number> {
    const next = batch.at(-1)?.seq ?? watermark
    await this.moving(watermark, next, (trx) => this.projection.apply(trx, batch))
    this.counts.transactions++
    this.counts.messages += batch.length
    return next
  }

  private async moving(from: number, to: number, act: (trx: Transaction<Database>) => Promise<void>): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      const moved = await trx
        .updateTable("projections")
        .set({ seq: to })
        .where("name", "=", this.projection.name)
        .where("seq", "=", String(from))
        .where("version", "<=", this.projection.version)
        .executeTakeFirst()
      if (moved.numUpdatedRows !== 1n) throw new Error("the watermark was moved by another")
      await act(trx)
    })
  }
}

/**
 * A fault of what was to be written, which no other try will mend: SQLSTATE classes 22 and 23, or a commit that is no
 * JSON.
 */
const isDataFault = (error: unknown): boolean =>
  error instanceof SyntaxError ||
  error instanceof TypeError ||
  (error instanceof Error && "code" in error && /^2[23]/.test(String(error.code)))
