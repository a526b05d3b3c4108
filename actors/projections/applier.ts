/**
 * Applies batches of a stream to a projection's tables, each in one transaction with the watermark.
 *
 * Invariants
 *  - The watermark is set only if it still has the value that was read last. So two appliers at the same time (two
 *    nodes believe in one lease, or two rebuilds) never apply a message twice: the transaction of one of them fails.
 *    The same happens to an older release whose tables a newer one has replaced.
 *  - A batch that changes no row costs no transaction. The stored watermark follows with the next change, or on request
 *    (`keep`). If such a batch is read again from there, it changes nothing again.
 *  - A message whose data cannot be applied does not stop the rest. If a batch fails because of its data, or takes too
 *    long, its messages are applied one by one. The rows of a failing message are written without the columns derived
 *    from its texts, or it is passed over. Either way it is recorded in `projection_faults`, which health, `status` and
 *    `verify` show.
 *  - A message that takes too long is tried `SLOW_TRIES` times, and between the tries Postgres must show that it can
 *    write. Waiting for a lock is no fault of a message, and neither is a Postgres that does not answer. (In
 *    actors/tables/database.ts, the lock timeout is shorter than the statement timeout, and the client's timeout is
 *    longer.)
 *  - A message that this release does not know stops the projection. Everything before it is applied, and the watermark
 *    stays there.
 *  - The connection decides which tables are meant: the served ones, or those that a rebuild makes beside them.
 */
import { type Kysely, sql, type Transaction } from "kysely"
import { logNow } from "../../schemas/runtime/log/log.ts"
import type { Database } from "../tables/database.ts"
import { sqlStateOf, STATEMENT_CANCELLED } from "../tables/sql-state.ts"
import { UnknownEvent } from "../engine/fold.ts"
import { type Change, type Message, type Projection, unchanged } from "./projection.ts"

export interface Mark {
  /** The tables contain everything of the stream up to this sequence. */
  readonly seq: number
  /** The sequence that is stored in their row of `projections`. */
  readonly kept: number
}

/** Attempts for a message that takes longer than the statement timeout. */
const SLOW_TRIES = 3

export class Applier {
  private readonly db: Kysely<Database>
  private readonly projection: Projection
  readonly counts = { transactions: 0, messages: 0, faults: 0 }

  constructor(db: Kysely<Database>, projection: Projection) {
    this.db = db
    this.projection = projection
  }

  /** Resolves to the mark afterwards. Returns it without a promise if the batch changes no row. */
  apply(batch: ReadonlyArray<Message>, mark: Mark): Mark | Promise<Mark> {
    try {
      const applied = this.applyBatch(batch, mark)
      return applied instanceof Promise ? applied.catch((error) => this.oneByOne(batch, mark, error)) : applied
    } catch (error) {
      return this.oneByOne(batch, mark, error)
    }
  }

  private async oneByOne(batch: ReadonlyArray<Message>, mark: Mark, failure: unknown): Promise<Mark> {
    if (!isDataFault(failure) && !isTooSlow(failure) && !(failure instanceof UnknownEvent)) throw failure
    let at = mark
    for (const message of batch) {
      try {
        at = await this.applyOne(message, at)
      } catch (fault) {
        if (fault instanceof UnknownEvent) await this.keep(at)
        if (!isDataFault(fault) && !isTooSlow(fault)) throw fault
        at = await this.passOver(message, at, fault)
      }
    }
    return at
  }

  private async applyOne(message: Message, mark: Mark): Promise<Mark> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.applyBatch([message], mark)
      } catch (fault) {
        if (!isTooSlow(fault) || tries === SLOW_TRIES) throw fault
        await this.writes()
      }
    }
  }

  /** Makes Postgres write a row. If that fails too, no message is at fault. */
  private async writes(): Promise<void> {
    try {
      await sql`update projections set seq = seq where name = ${this.projection.name}`.execute(this.db)
    } catch (cause) {
      throw new Error("Postgres writes nothing at the moment", { cause })
    }
  }

  /** Stores the watermark that the tables have reached. */
  async keep(mark: Mark): Promise<Mark> {
    return mark.kept === mark.seq ? mark : this.moving(mark, mark.seq, unchanged)
  }

  /**
   * Records the message as a fault and moves the watermark past it, in one transaction with those of its rows that can
   * be written.
   */
  private async passOver(message: Message, mark: Mark, fault: unknown): Promise<Mark> {
    const { seq, kind, id } = message
    const error = String(fault)
    logNow("error", "projector", { projection: this.projection.name, seq, kind, id, error })
    const noted = async (trx: Transaction<Database>): Promise<void> => {
      await trx
        .insertInto("projection_faults")
        .values({ projection: this.projection.name, seq, kind, id, error })
        .onConflict((conflict) => conflict.columns(["projection", "seq"]).doUpdateSet({ error }))
        .execute()
    }
    const passed = await this.moving(mark, seq, async (trx) => {
      await this.projection.bare(message)(trx)
      await noted(trx)
    }).catch((further: unknown) => {
      if (!isDataFault(further) && !isTooSlow(further)) throw further
      return this.moving(mark, seq, noted)
    })
    this.counts.faults++
    return passed
  }

  private applyBatch(batch: ReadonlyArray<Message>, mark: Mark): Mark | Promise<Mark> {
    const seq = batch.at(-1)?.seq ?? mark.seq
    const change = this.projection.changes(batch)
    const counted = (next: Mark): Mark => {
      this.counts.messages += batch.length
      return next
    }
    return change === null ? counted({ ...mark, seq }) : this.moving(mark, seq, change).then(counted)
  }

  private async moving(from: Mark, to: number, change: Change): Promise<Mark> {
    await this.db.transaction().execute(async (trx) => {
      const moved = await trx
        .updateTable("projections")
        .set({ seq: to })
        .where("name", "=", this.projection.name)
        .where("seq", "=", String(from.kept))
        .where("version", "<=", this.projection.version)
        .executeTakeFirst()
      if (moved.numUpdatedRows !== 1n) throw new Error("the watermark was moved by another")
      await change(trx)
    })
    this.counts.transactions++
    return { seq: to, kept: to }
  }
}

/**
 * A fault of the data, which recurs at every try: SQLSTATE classes 22, 23 and 54 (data, constraints, limits of Postgres
 * itself), a commit that is not JSON, or data from which our own code cannot make rows.
 */
const isDataFault = (error: unknown): boolean =>
  error instanceof SyntaxError ||
  error instanceof TypeError ||
  error instanceof RangeError ||
  /^(22|23|54)/.test(sqlStateOf(error))

/** Postgres itself has ended the statement. */
const isTooSlow = (error: unknown): boolean => sqlStateOf(error) === STATEMENT_CANCELLED
