/**
 * Pages of lists that may be long: finds the ids of a page's rows, and the total. Callers read the rows themselves by
 * id.
 *
 * Invariants
 *  - A list's keys all go in one direction and end with its id (spec 4.1.6). So a place in it is one comparison of
 *    rows, which an index of the same keys answers.
 *  - A list that an index has in its order reads at most `EXACT_MAX` rows before its page. Up to there the page is
 *    counted from the beginning, and is exact. Deeper rows are counted from a mark: the keys of each `MARK_EVERY`th
 *    row. One walk over the index takes them, at most once in `KEPT_MS` for each list. So the position of a deep page
 *    may be as old as the last walk, but its records are current.
 *  - Another list of at most `EXACT_MAX` rows is read as a whole. A longer one is looked for along an index of the
 *    order, and reads rows of others too. Its cost is what the client has for its turn (kit/reads.ts).
 *  - A total is exact up to `EXACT_MAX`. A larger one was exact when it was counted, at most `KEPT_MS` ago.
 *  - The number and the age of remembered lists are bounded.
 */
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Clock } from "effect"
import type { Database } from "../tables/database.ts"
import { sortedFew } from "../tables/page.ts"
import type { Searches } from "../queries/serve.ts"
import { findsIn, isFound, textQuery } from "./searched.ts"
import { searchedTable, type TextTable } from "./searched-rows.ts"
import { monotonicMs } from "../../schemas/runtime/clock.ts"

export const EXACT_MAX = 10_000
export const MARK_EVERY = 1000
const KEPT_MS = 30_000
/** The number of lists with remembered totals. It is large, so that no client's lists displace those of all others. */
const TOTALS_MAX = 4096
/**
 * The number of lists with remembered marks. A mark is some hundred bytes, and a list of a million rows has a thousand.
 */
const MARKED_MAX = 64

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
   * True if no index has the rows of this list in its order. They could lie anywhere in an index of all rows, so up to
   * `EXACT_MAX` are read as a whole and sorted.
   */
  readonly isScattered?: boolean
}

export interface ListKey {
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

/** `indexed`: the orders in which an index has the rows of this filter alone. */
export interface Filter<Sort> {
  readonly where: (value: string) => RawBuilder<boolean>
  readonly indexed: ReadonlyArray<Sort>
}

/** The rows that pass the given filters. `null` stands for a filter that is not given. */
export const filtered = <Name extends string, Sort>(
  filters: Readonly<Record<Name, Filter<Sort>>>,
  given: Readonly<Record<Name, string | null>>,
  sort: Sort
): Pick<Listing, "where" | "isScattered"> => {
  const used = Object.entries<string | null>(given).flatMap(([name, value]) =>
    value === null ? [] : [{ ...filters[name as Name], value }]
  )
  const isIndexed = used.length === 0 || (used.length === 1 && used[0]?.indexed.includes(sort) === true)
  return { where: used.map(({ where, value }) => where(value)), isScattered: !isIndexed }
}

type Mark = ReadonlyArray<string>

type Db = Kysely<Database>

export class Listings {
  private readonly totals: RecentResults<number>
  private readonly marks: RecentResults<ReadonlyArray<Mark>>

  constructor(clock: Clock.Clock) {
    this.totals = new RecentResults(clock, TOTALS_MAX)
    this.marks = new RecentResults(clock, MARKED_MAX)
  }

  /** `before`: rows that come before the list on its first page. */
  async page(db: Db, listing: Listing, { page, per_page }: PageRequest, before = 0): Promise<PageOfIds> {
    if (listing.isScattered === true && this.totals.known(listing.name) === undefined) {
      const few = await fewOf(db, listing, { page, per_page })
      if (few !== null) return few
    }
    const total = await this.total(db, listing)
    const offset = Math.max(0, (page - 1) * per_page - before)
    const count = page === 1 ? per_page - before : per_page
    if (offset >= total || count === 0) return { total, ids: [] }
    if (offset <= EXACT_MAX) return { total, ids: await idsOf(db, listing, null, offset, count) }
    const marks = await this.marks.get(listing.name, () => walk(db, listing))
    const passed = Math.min(Math.floor(offset / MARK_EVERY), marks.length)
    const ids = await idsOf(db, listing, marks[passed - 1] ?? null, offset - passed * MARK_EVERY, count)
    return { total, ids }
  }

  /**
   * The rows of the list that match a search text, without those of banned and deleted authors (contract 19).
   * `row`: the alias of its table.
   */
  async found(
    listing: Listing,
    [table, row]: readonly [table: TextTable, row: string],
    q: string,
    wanted: PageRequest,
    searches: Searches
  ): Promise<PageOfIds> {
    const query = textQuery(q)
    if (query === null) return { total: 0, ids: [] }
    // The searched rows come first, because a search locks them before the others.
    const from = sql`${sql.table(searchedTable(table))} searched join ${listing.from} on searched.id = ${sql.ref(row)}.id
      join agents writer on writer.id = searched.author`
    const where = [...listing.where, findsIn("searched", query), isFound("writer")]
    return searches.run((trx) => foundPage(trx, { ...listing, from, where }, wanted))
  }

  private async total(db: Db, listing: Listing): Promise<number> {
    if (listing.total !== undefined) return numberOf(db, sql`select (${listing.total}) as n`)
    const { from, where } = listing
    const known = this.totals.known(listing.name)
    if (known !== undefined) return known
    const found = sql`select from ${from} where ${all(where)}`
    const some = await numberOf(db, sql`select count(*) as n from (${found} limit ${EXACT_MAX + 1}) part`)
    if (some <= EXACT_MAX) return some
    return this.totals.get(listing.name, () => numberOf(db, sql`select count(*) as n from (${found}) whole`))
  }
}

/** A page of a list with at most `EXACT_MAX` rows; `null` if there are more. */
const fewOf = (db: Db, { from, where, keys, way }: Listing, wanted: PageRequest): Promise<PageOfIds | null> => {
  const { names, named } = namedKeys(keys)
  const order = ordered({ keys: names.map((name) => ({ by: sql.ref(name) })), way })
  const rows = sql`select ${named} from ${from} where ${all(where)}`
  return sortedFew(db, { rows, id: names.at(-1) ?? "", order }, EXACT_MAX, wanted)
}

/** The keys as columns with names. */
const namedKeys = (keys: Listing["keys"]) => {
  const names = keys.map((_key, index) => `key_${index}`)
  return { names, named: sql.join(keys.map(({ by }, index) => sql`${by} as ${sql.ref(`key_${index}`)}`)) }
}

/**
 * A page of a list whose content depends on a stranger's input. Its rows beyond `EXACT_MAX` are not shown, counted or
 * remembered.
 */
const foundPage = async (db: Db, listing: Listing, wanted: PageRequest): Promise<PageOfIds> => {
  const few = await fewOf(db, listing, wanted)
  if (few !== null) return few
  const offset = (wanted.page - 1) * wanted.per_page
  return { total: EXACT_MAX, ids: offset >= EXACT_MAX ? [] : await idsOf(db, listing, null, offset, wanted.per_page) }
}

const numberOf = async (db: Db, query: RawBuilder<unknown>): Promise<number> => {
  const { rows } = await sql<{ n: string | null }>`${query}`.execute(db)
  return Number(rows[0]?.n ?? 0)
}

const all = (where: Listing["where"]): RawBuilder<unknown> =>
  where.length === 0 ? sql`true` : sql.join([...where], sql` and `)

interface Order {
  readonly keys: ReadonlyArray<Pick<ListKey, "by">>
  readonly way: Listing["way"]
}

export const ordered = ({ keys, way }: Order): RawBuilder<unknown> =>
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
  const { rows } = await sql<{ id: string | number }>`
    select ${id} as id from ${listing.from} where ${all(where)} order by ${ordered(listing)} limit ${count} offset ${offset}`.execute(
    db
  )
  return rows.map((row) => String(row.id))
}

/** Reads the whole index and keeps every `MARK_EVERY`th entry. */
const walk = async (db: Db, listing: Listing): Promise<ReadonlyArray<Mark>> => {
  const { names, named } = namedKeys(listing.keys)
  const texts = sql.join(names.map((name) => sql`${sql.ref(name)}::text`))
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
