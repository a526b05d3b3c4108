/**
 * Snapshots in Postgres. The same state can always be folded from the log, only more slowly. So snapshots may be
 * dropped, and nothing waits for them for long.
 *
 * Invariants
 *  - Loads that arrive together become one statement, and so do saves. So a node that takes over or gives up thousands
 *    of actors needs only a few statements.
 *  - If Postgres does not answer a load in time, nothing waits for it again until it answers: every load immediately
 *    finds nothing, and every save immediately fails. One statement every AWAY_MS tests whether it is back.
 *  - A stored snapshot is replaced only by a newer one, or by one of the same commit in another format. A snapshot that
 *    the log does not continue from is dropped first (history.ts).
 */
import { type Kysely, sql } from "kysely"
import type { Clock } from "effect"
import type { Database } from "../tables/database.ts"
import { rowsJsonPieces } from "../tables/rows.ts"
import { delay, monotonicMs } from "../../schemas/runtime/clock.ts"
import { Gathered } from "../log/gathered.ts"
import type { Snapshot, SnapshotStore } from "./ports.ts"

const LOAD_TIMEOUT_MS = 1000
const SAVE_TIMEOUT_MS = 3000
const AWAY_MS = 2000
const LOADS = { together: 256, waiting: 20_000 }
const SAVES = { together: 500, waiting: 50_000 }
/** Matches JSON that Postgres cannot store as `jsonb`: the character U+0000, and single halves of a surrogate pair. */
const NOT_KEPT = /(?:^|[^\\])(?:\\\\)*\\u(?:0000|d[89a-f])/

interface Place {
  readonly kind: string
  readonly id: string
}

interface PlacedSnapshot extends Place {
  readonly snapshot: Snapshot
}

interface Row extends Place {
  readonly format: number
  readonly seq: number
  readonly state: string
  readonly commands: string
}

const keyOf = ({ kind, id }: Place): string => `${kind} ${id}`

export class PostgresSnapshots implements SnapshotStore {
  private readonly clock: Clock.Clock
  private readonly db: Kysely<Database>
  private readonly formatOf: (kind: string) => number
  private readonly loads: Gathered<Place, Snapshot | null>
  private readonly saves: Gathered<PlacedSnapshot, true>
  /** The monotonic time in ms at which a Postgres that did not answer is tested again; `null` while it answers. */
  private awayUntil: number | null = null
  readonly counts = { saved: 0, failed: 0, loaded: 0 }

  /**
   * `formatOf` gives the format of a kind's state in this release (state-format.ts). Snapshots in other formats are not
   * read.
   */
  constructor(clock: Clock.Clock, db: Kysely<Database>, formatOf: (kind: string) => number) {
    this.clock = clock
    this.db = db
    this.formatOf = formatOf
    this.loads = new Gathered(LOADS, async (places) => {
      const found = await this.answered(LOAD_TIMEOUT_MS, () => this.find(places)).catch((error: unknown) => {
        this.awayUntil = monotonicMs(this.clock) + AWAY_MS
        throw error
      })
      return (place) => found.get(keyOf(place)) ?? null
    })
    this.saves = new Gathered(SAVES, async (kept) => {
      await this.answered(SAVE_TIMEOUT_MS, () => this.put(kept))
      return () => true
    })
  }

  async load(kind: string, id: string): Promise<Snapshot | null> {
    if (this.away) return null
    const snapshot = await this.loads.do({ kind, id }).catch(() => null)
    if (snapshot !== null) this.counts.loaded++
    return snapshot
  }

  async save(kind: string, id: string, snapshot: Snapshot): Promise<void> {
    try {
      await this.saves.do({ kind, id, snapshot })
      this.counts.saved++
    } catch (error) {
      this.counts.failed++
      throw error
    }
  }

  async drop(kind: string, id: string, seq: number): Promise<void> {
    await this.answered(SAVE_TIMEOUT_MS, () =>
      sql`delete from snapshots where kind = ${kind} and id = ${id} and seq = ${seq}`.execute(this.db)
    )
  }

  /**
   * True while Postgres does not answer. If the time for a test has come, this sends a statement without waiting for
   * the answer.
   */
  private get away(): boolean {
    if (this.awayUntil === null) return false
    if (monotonicMs(this.clock) >= this.awayUntil) {
      const asking = this.find([]).then(() => void (this.awayUntil = null))
      this.awayUntil = monotonicMs(this.clock) + AWAY_MS
      asking.catch(() => undefined)
    }
    return true
  }

  /** Rejects if Postgres is `away`, or if it does not answer within `withinMs`. */
  private async answered<A>(withinMs: number, ask: () => Promise<A>): Promise<A> {
    if (this.away) throw new Error("Postgres did not answer a moment ago")
    const late = delay(this.clock, withinMs, "unref").then(() => {
      throw new Error(`Postgres did not answer within ${withinMs} ms`)
    })
    return Promise.race([ask(), late])
  }

  private async find(places: ReadonlyArray<Place>): Promise<ReadonlyMap<string, Snapshot>> {
    const [kinds, ids] = [places.map(({ kind }) => kind), places.map(({ id }) => id)]
    const formats = kinds.map((kind) => this.formatOf(kind))
    const { rows } = await sql<Place & { seq: string; state: unknown; commands: Snapshot["commands"] }>`
      select kind, id, seq, state, commands from snapshots where (kind, id, format) in
        (select * from unnest(${kinds}::text[], ${ids}::text[], ${formats}::integer[]))`.execute(this.db)
    return new Map(rows.map(({ kind, id, seq, ...rest }) => [keyOf({ kind, id }), { seq: Number(seq), ...rest }]))
  }

  private async put(kept: ReadonlyArray<PlacedSnapshot>): Promise<void> {
    for await (const rows of rowsJsonPieces(this.rowsOf(kept))) {
      await sql`
        insert into snapshots (kind, id, format, seq, state, commands)
        select kind, id, format, seq, state::jsonb, commands::jsonb from json_to_recordset(${rows}::json)
          as row(kind text, id text, format integer, seq bigint, state text, commands text)
        on conflict (kind, id) do update
          set format = excluded.format, seq = excluded.seq, state = excluded.state, commands = excluded.commands
          where snapshots.seq < excluded.seq or (snapshots.seq = excluded.seq and snapshots.format <> excluded.format)`.execute(
        this.db
      )
    }
  }

  /**
   * Keeps the newest snapshot of each actor, sorted by actor. All nodes use that order, because two statements may lock
   * the same rows.
   */
  private *rowsOf(kept: ReadonlyArray<PlacedSnapshot>): Generator<Row> {
    const newest = new Map<string, PlacedSnapshot>()
    for (const one of kept)
      if (one.snapshot.seq >= (newest.get(keyOf(one))?.snapshot.seq ?? 0)) newest.set(keyOf(one), one)
    for (const [, { kind, id, snapshot }] of [...newest].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
      const [state, commands] = [JSON.stringify(snapshot.state), JSON.stringify(snapshot.commands)]
      if (NOT_KEPT.test(state) || NOT_KEPT.test(commands)) continue
      yield { kind, id, format: this.formatOf(kind), seq: snapshot.seq, state, commands }
    }
  }
}
