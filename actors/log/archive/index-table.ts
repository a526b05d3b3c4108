/**
 * The index of the archive in Postgres: the list of segments, and the newest archived commit of each actor.
 *
 * Invariants
 *  - Only the Postgres session that holds the lock writes the index: `IndexWriter` uses that session's connection
 *    alone. Postgres releases the lock when the session ends, and executes no later statement of that session. So a
 *    process that has lost the lock without noticing can change nothing.
 *  - The actors' rows of a segment are written in one transaction with the segment's own row, and before the mark
 *    (mark.ts). So an index that reaches the mark knows every archived actor, except those whose commits have ended. An
 *    answer states how far the index reaches (`through`), and readers refuse one that does not reach the mark.
 *  - It can be made again from the segments at any time.
 */
import { type Kysely, sql } from "kysely"
import type { Database } from "../../tables/database.ts"
import { rowsJsonPieces } from "../../tables/rows.ts"
import { placeOf, type SegmentName } from "./segment.ts"

const ROWS_REMOVED = 10_000
const IDS_PAGE = 1000
const LOCK = 7_310_588_214

export interface Newest {
  readonly seq: number
  /** Unix ms at which the log deletes the commit; `null` if it never does. */
  readonly expires: number | null
}

interface Answer {
  readonly through: number
  readonly of: (subject: string) => Newest | null
}

interface Row {
  readonly kind: string
  readonly id: string
  readonly seq: string
  readonly expires_at: Date | null
}

const keyOf = ({ kind, id }: { readonly kind: string; readonly id: string }): string => `${kind} ${id}`

export class IndexTable {
  private readonly db: Kysely<Database>

  constructor(db: Kysely<Database>) {
    this.db = db
  }

  /** The newest archived commit of each of these subjects; `null` if it has none. */
  async find(subjects: ReadonlyArray<string>): Promise<Answer> {
    const places = subjects.map(placeOf)
    const [kinds, ids] = [places.map(({ kind }) => kind), places.map(({ id }) => id)]
    // One statement reads both, so that the rows are not older than the sequence given with them.
    const { rows } = await sql<Row>`
      select '' as kind, '' as id, coalesce(max(last), 0)::text as seq, null::timestamptz as expires_at from archive_segments
      union all
      select kind, id, seq::text, expires_at from archive_actors where (kind, id) in
        (select * from unnest(${kinds}::text[], ${ids}::text[]))`.execute(this.db)
    const [whole, ...found] = rows
    const of = found.map((row) => {
      const newest: Newest = { seq: Number(row.seq), expires: row.expires_at?.getTime() ?? null }
      return [keyOf(row), newest] as const
    })
    const all = new Map(of)
    return { through: Number(whole?.seq ?? 0), of: (subject) => all.get(keyOf(placeOf(subject))) ?? null }
  }

  async reaches(through: number): Promise<boolean> {
    return (await this.find([])).through >= through
  }

  async segmentsAfter(last: number): Promise<ReadonlyArray<SegmentName>> {
    const rows = await this.db
      .selectFrom("archive_segments")
      .select(["first", "last", "sha256"])
      .where("last", ">", String(last))
      .orderBy("last")
      .execute()
    return rows.map(({ first, last: end, sha256 }) => ({ first: Number(first), last: Number(end), sha256 }))
  }

  async newestSegment(): Promise<SegmentName | null> {
    const newest = await this.db
      .selectFrom("archive_segments")
      .select(["first", "last", "sha256"])
      .orderBy("last", "desc")
      .limit(1)
      .executeTakeFirst()
    if (newest === undefined) return null
    return { first: Number(newest.first), last: Number(newest.last), sha256: newest.sha256 }
  }

  /**
   * Runs `work` under a lock that only one session of a database can hold, and that ends with the session. Archivers,
   * copiers of the log and repairs of the index use it. `null` if another session holds it. Rejects if the session ends
   * meanwhile.
   */
  async alone<A>(work: (writer: IndexWriter) => Promise<A>): Promise<A | null> {
    return this.db.connection().execute(async (held) => {
      const { rows } = await sql<{ free: boolean }>`select pg_try_advisory_lock(${LOCK}) as free`.execute(held)
      if (rows[0]?.free !== true) return null
      try {
        return await work(new IndexWriter(held))
      } finally {
        await sql`select pg_advisory_unlock(${LOCK})`.execute(held)
      }
    })
  }

  async *idsOf(kind: string): AsyncGenerator<ReadonlyArray<string>> {
    for (let after = ""; ;) {
      const rows = await this.db
        .selectFrom("archive_actors")
        .select("id")
        .where("kind", "=", kind)
        .where("id", ">", after)
        .orderBy("id")
        .limit(IDS_PAGE)
        .execute()
      const last = rows.at(-1)
      if (last === undefined) return
      yield rows.map(({ id }) => id)
      after = last.id
    }
  }
}

/** The highest archived id of a kind whose ids are numbers; 0 if there is none. */
export const highestArchived = async (db: Kysely<Database>, kind: string): Promise<number> => {
  const { rows } = await sql<{ highest: string }>`
    select coalesce(max((numbers->>${kind})::bigint), 0) as highest from archive_segments`.execute(db)
  return Number(rows[0]?.highest)
}

export class IndexWriter extends IndexTable {
  private readonly held: Kysely<Database>

  /** `held`: the connection that holds the lock. */
  constructor(held: Kysely<Database>) {
    super(held)
    this.held = held
  }

  /** Rejects if the lock was lost, because another process may archive by now. */
  async confirm(): Promise<void> {
    const { rows } = await sql<{ held: boolean }>`
      select exists (select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and granted
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32) + objid::bigint = ${LOCK}) as held`.execute(this.held)
    if (rows[0]?.held !== true) throw new Error("the lock on the archive's index was lost")
  }

  /**
   * Adds a segment. It is safe to repeat. Segments that end at or after the first sequence of the new one are removed.
   * `newest`: the newest commit of each actor in the segment.
   */
  async add(segment: SegmentName, newest: ReadonlyMap<string, Newest>): Promise<void> {
    await this.held.transaction().execute(async (trx) => {
      // The caller then writes the mark, and the log drops the commits. So a crash of Postgres must not undo this
      // transaction.
      await sql`set local synchronous_commit = on`.execute(trx)
      for await (const rows of rowsJsonPieces(rowsOf(newest)))
        await sql`
          insert into archive_actors (kind, id, seq, expires_at)
          select kind, id, seq, expires_at from json_to_recordset(${rows}::json)
            as row(kind text, id text, seq bigint, expires_at timestamptz)
          on conflict (kind, id) do update set seq = excluded.seq, expires_at = excluded.expires_at
            where archive_actors.seq < excluded.seq`.execute(trx)
      await trx.deleteFrom("archive_segments").where("last", ">=", String(segment.first)).execute()
      await trx
        .insertInto("archive_segments")
        .values({
          ...segment,
          first: String(segment.first),
          last: String(segment.last),
          numbers: JSON.stringify(Object.fromEntries(numbersIn(newest.keys())))
        })
        .execute()
    })
  }

  /**
   * Removes the segments that end after a sequence. The rows of actors stay: as long as the log has their commits, they
   * are not read.
   */
  async removeSegments(after: number): Promise<void> {
    await this.held.deleteFrom("archive_segments").where("last", ">", String(after)).execute()
  }

  /** Removes the rows of actors whose newest archived commit has ended. Resolves when none is left. `at`: Unix ms. */
  async removeExpired(at: number): Promise<void> {
    for (;;) {
      const { numAffectedRows = 0n } = await sql`
        delete from archive_actors where expires_at < ${new Date(at)} and (kind, id) in
          (select kind, id from archive_actors where expires_at < ${new Date(at)} limit ${ROWS_REMOVED})`.execute(
        this.held
      )
      if (numAffectedRows < BigInt(ROWS_REMOVED)) return
    }
  }

  /** Empties the index, because its segments belong to another log. */
  async empty(): Promise<void> {
    await sql`truncate archive_actors, archive_segments`.execute(this.held)
  }
}

const NUMBER = /^[1-9]\d{0,14}$/

const numbersIn = (subjects: Iterable<string>): ReadonlyMap<string, number> => {
  const all = new Map<string, number>()
  for (const { kind, id } of [...subjects].map(placeOf))
    if (NUMBER.test(id)) all.set(kind, Math.max(Number(id), all.get(kind) ?? 0))
  return all
}

/** Sorted, so that all writers lock rows in the same order. */
function* rowsOf(newest: ReadonlyMap<string, Newest>): Generator<object> {
  for (const [subject, { seq, expires }] of [...newest].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    yield { ...placeOf(subject), seq, expires_at: expires === null ? null : new Date(expires) }
}
