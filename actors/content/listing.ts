/**
 * Pages of lists that may be long: finds the ids of a page's rows, and the total. Callers read the rows themselves by
 * id.
 *
 * Invariants
 *  - A list's keys all go in one direction and end with its id (spec 4.1.6). So a place in it is one comparison of
 *    rows, which an index of the same keys answers.
 *  - No page reads more than `EXACT_MAX` rows before its own. Up to there it is counted from the beginning, and is
 *    exact. Deeper rows are counted from a mark: the keys of each `MARK_EVERY`th row. One walk over the index takes
 *    them, at most once in `KEPT_MS` for each list, one walk at a time. So the position of a deep page may be as old as
 *    the last walk, but its records are current.
 *  - A total is exact up to `EXACT_MAX`. A larger one was exact when it was counted, at most `KEPT_MS` ago.
 *  - The number and the age of remembered lists are bounded.
 */
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Clock } from "effect"
import type { Database } from "../tables/database.ts"
import { Lanes } from "../kit/lanes.ts"
import type { Asker, Searches } from "../queries/serve.ts"
import { findsIn, isFound, textQuery } from "./searched.ts"
import { searchedTable, type TextTable } from "./searched-rows.ts"
import { monotonicMs } from "../../schemas/runtime/clock.ts"

export const EXACT_MAX = 10_000
export const MARK_EVERY = 1000
const KEPT_MS = 30_000
/**
 * The number of lists with remembered marks. A mark is some hundred bytes, and a list of a million rows has a thousand.
 */
const LISTS_MAX = 64
const WALKS_WAITING_MAX = 16

/** Types whose values survive a conversion to text and back. */
type KeyType = "bigint" | "integer" | "boolean" | "double precision" | "text" | "timestamptz"

export interface Listing {
  /** Contains everything that determines the list's content and order. Totals are cached under this name. */
  readonly name: string
  readonly from: RawBuilder<unknown>
  readonly where: ReadonlyArray<RawBuilder<boolean>>
  readonly way: "asc" | "desc"
  /** The last is the id. */
  readonly keys: readonly [ListKey, ...Array<ListKey>]
  /** An SQL expression for the number of rows, if it is known without counting. */
  readonly total?: RawBuilder<unknown>
  /**
   * True for lists whose content depends on a stranger's input. Their rows beyond `EXACT_MAX` are not shown, counted or
   * remembered.
   */
  readonly isCapped?: boolean
}

interface ListKey {
  readonly by: RawBuilder<unknown>
  readonly type: KeyType
}

export interface PageRequest {
  readonly page: number
  readonly per_page: number
}

export interface PageOfIds {
  readonly total: number
  readonly ids: ReadonlyArray<string>
}

type Mark = ReadonlyArray<string>

type Db = Kysely<Database>

export class Listings {
  private readonly totals: RecentResults<number>
  private readonly marks: RecentResults<ReadonlyArray<Mark>>
  private readonly walks: Lanes

  constructor(clock: Clock.Clock) {
    this.walks = new Lanes(clock, 1, WALKS_WAITING_MAX)
    this.totals = new RecentResults(clock, LISTS_MAX)
    this.marks = new RecentResults(clock, LISTS_MAX)
  }

  /** `before`: rows that come before the list on its first page. */
  async page(db: Db, listing: Listing, { page, per_page }: PageRequest, before = 0): Promise<PageOfIds> {
    const total = await this.total(db, listing)
    const offset = Math.max(0, (page - 1) * per_page - before)
    const count = page === 1 ? per_page - before : per_page
    if (offset >= total || count === 0) return { total, ids: [] }
    // A capped list has no further pages.
    if (offset <= EXACT_MAX) return { total, ids: await idsOf(db, listing, null, offset, count) }
    const marks = await this.marks.get(listing.name, () => this.walks.run(() => walk(db, listing)))
    const passed = Math.min(Math.floor(offset / MARK_EVERY), marks.length)
    const ids = await idsOf(db, listing, marks[passed - 1] ?? null, offset - passed * MARK_EVERY, count)
    return { total, ids }
  }

  /**
   * The rows of the list that match a search text, without those of banned and deleted authors (contract 19).
   * `row`: the alias of its table.
   */
  async found(
    db: Db,
    listing: Listing,
    [table, row]: readonly [table: TextTable, row: string],
    q: string,
    wanted: PageRequest,
    searches: Searches,
    searcher?: Asker
  ): Promise<PageOfIds> {
    const query = textQuery(q)
    if (query === null) return { total: 0, ids: [] }
    // The searched rows come first, because a search locks them before the others.
    const from = sql`${sql.table(searchedTable(table))} searched join ${listing.from} on searched.id = ${sql.ref(row)}.id
      join agents writer on writer.id = searched.author`
    const where = [...listing.where, findsIn("searched", query), isFound("writer")]
    return searches.run(db, (trx) => this.page(trx, { ...listing, from, where, isCapped: true }, wanted), searcher)
  }

  private async total(db: Db, listing: Listing): Promise<number> {
    if (listing.total !== undefined) return numberOf(db, sql`select (${listing.total}) as n`)
    const { from, where, isCapped = false } = listing
    const known = isCapped ? undefined : this.totals.known(listing.name)
    if (known !== undefined) return known
    const found = sql`select from ${from} where ${all(where)}`
    const some = await numberOf(db, sql`select count(*) as n from (${found} limit ${EXACT_MAX + 1}) part`)
    if (isCapped) return Math.min(some, EXACT_MAX)
    if (some <= EXACT_MAX) return some
    return this.totals.get(listing.name, () =>
      this.walks.run(() => numberOf(db, sql`select count(*) as n from (${found}) whole`))
    )
  }
}

const numberOf = async (db: Db, query: RawBuilder<unknown>): Promise<number> => {
  const { rows } = await sql<{ n: string | null }>`${query}`.execute(db)
  return Number(rows[0]?.n ?? 0)
}

const all = (where: Listing["where"]): RawBuilder<unknown> =>
  where.length === 0 ? sql`true` : sql.join([...where], sql` and `)

const ordered = ({ keys, way }: Listing): RawBuilder<unknown> =>
  sql.join(keys.map(({ by }) => (way === "desc" ? sql`${by} desc` : sql`${by} asc`)))

const behind = ({ keys, way }: Listing, mark: Mark): RawBuilder<boolean> => {
  const values = keys.map(({ type }, index) => sql`${mark[index]}::${sql.raw(type)}`)
  const row = sql`(${sql.join(keys.map(({ by }) => by))})`
  return way === "desc" ? sql<boolean>`${row} < (${sql.join(values)})` : sql<boolean>`${row} > (${sql.join(values)})`
}

const idsOf = async (
  db: Db,
  listing: Listing,
  from: Mark | null,
  offset: number,
  count: number
): Promise<ReadonlyArray<string>> => {
  const id = listing.keys.at(-1)?.by ?? sql`null`
  const where = from === null ? listing.where : [...listing.where, behind(listing, from)]
  const { rows } = await sql<{ id: string }>`
    select ${id} as id from ${listing.from} where ${all(where)} order by ${ordered(listing)} limit ${count} offset ${offset}`.execute(
    db
  )
  return rows.map((row) => row.id)
}

/** Reads the whole index and keeps every `MARK_EVERY`th entry. */
const walk = async (db: Db, listing: Listing): Promise<ReadonlyArray<Mark>> => {
  const columns = listing.keys.map((_key, index) => sql.ref(`key_${index}`))
  const named = sql.join(listing.keys.map(({ by }, index) => sql`${by} as ${columns[index]}`))
  const texts = sql.join(columns.map((column) => sql`${column}::text`))
  const { rows } = await sql<{ keys: Mark }>`
    select array[${texts}] as keys from (
      select ${named}, row_number() over (order by ${ordered(listing)}) as place
      from ${listing.from} where ${all(listing.where)}
    ) walked where place % ${sql.lit(MARK_EVERY)} = 0 order by place`.execute(db)
  return rows.map((row) => row.keys)
}

/** A cache of recent results, by name. Callers during a computation get the same result; a failure is not kept. */
class RecentResults<T> {
  private readonly byName = new Map<string, { readonly since: number; readonly found: Promise<T>; value?: T }>()
  private readonly clock: Clock.Clock
  private readonly max: number

  constructor(clock: Clock.Clock, max: number) {
    this.clock = clock
    this.max = max
  }

  known(name: string): T | undefined {
    const kept = this.byName.get(name)
    return kept === undefined || monotonicMs(this.clock) - kept.since > KEPT_MS ? undefined : kept.value
  }

  get(name: string, find: () => Promise<T>): Promise<T> {
    const kept = this.byName.get(name)
    if (kept !== undefined && monotonicMs(this.clock) - kept.since <= KEPT_MS) return kept.found
    const found = find()
    const entry: { readonly since: number; readonly found: Promise<T>; value?: T } = {
      since: monotonicMs(this.clock),
      found
    }
    this.byName.delete(name)
    this.byName.set(name, entry)
    found.then(
      (value) => (entry.value = value),
      () => this.byName.get(name) === entry && this.byName.delete(name)
    )
    // The oldest one is dropped first.
    for (const [oldest] of this.byName) {
      if (this.byName.size <= this.max) break
      this.byName.delete(oldest)
    }
    return found
  }
}

/** Sorts rows in the order of the ids. A row that has disappeared meanwhile is left out. */
export const inOrder = <Row>(
  ids: ReadonlyArray<string>,
  rows: ReadonlyArray<Row>,
  idOf: (row: Row) => string
): ReadonlyArray<Row> => {
  const byId = new Map(rows.map((row) => [idOf(row), row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
