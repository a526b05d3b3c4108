/**
 * Snapshots in Postgres: only to start an actor with a long log faster. They may be dropped at any time, and when
 * Postgres does not answer within LOAD_TIMEOUT_MS the log is read from its beginning.
 */
import type { Kysely } from "kysely"
import type { Clock } from "effect"
import type { Database } from "../database.ts"
import type { Snapshot, SnapshotStore } from "./ports.ts"
import { delay } from "../../schemas/runtime/clock.ts"

const LOAD_TIMEOUT_MS = 500

export class PostgresSnapshots implements SnapshotStore {
  private readonly clock: Clock.Clock
  private readonly db: Kysely<Database>
  private readonly formatOf: (kind: string) => number
  /** Since the start. */
  readonly counts = { saved: 0, failed: 0, loaded: 0 }

  /** `formatOf`: of the kind's state as this release declares it (state-format.ts); other snapshots are not read. */
  constructor(clock: Clock.Clock, db: Kysely<Database>, formatOf: (kind: string) => number) {
    this.clock = clock
    this.db = db
    this.formatOf = formatOf
  }

  async load(kind: string, id: string): Promise<Snapshot | null> {
    const found = this.db
      .selectFrom("snapshots")
      .select(["seq", "state", "commands"])
      .where("kind", "=", kind)
      .where("id", "=", id)
      .where("format", "=", this.formatOf(kind))
      .executeTakeFirst()
      .then((row) =>
        row === undefined
          ? null
          : { seq: Number(row.seq), state: row.state, commands: row.commands as Snapshot["commands"] }
      )
      .catch(() => null)
    const late = delay(this.clock, LOAD_TIMEOUT_MS, "unref").then(() => null)
    const snapshot = await Promise.race([found, late])
    if (snapshot !== null) this.counts.loaded++
    return snapshot
  }

  async save(kind: string, id: string, snapshot: Snapshot): Promise<void> {
    try {
      await this.put(kind, id, snapshot)
      this.counts.saved++
    } catch (error) {
      this.counts.failed++
      throw error
    }
  }

  private async put(kind: string, id: string, snapshot: Snapshot): Promise<void> {
    const values = {
      format: this.formatOf(kind),
      seq: String(snapshot.seq),
      state: JSON.stringify(snapshot.state),
      commands: JSON.stringify(snapshot.commands)
    }
    await this.db
      .insertInto("snapshots")
      .values({ kind, id, ...values })
      .onConflict((conflict) =>
        conflict
          .columns(["kind", "id"])
          .doUpdateSet(values)
          .where((where) =>
            where.or([
              where("snapshots.seq", "<", values.seq),
              // Another release wrote it, and this one cannot read it.
              where.and([where("snapshots.seq", "=", values.seq), where("snapshots.format", "<>", values.format)])
            ])
          )
      )
      .execute()
  }
}
