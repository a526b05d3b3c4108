/**
 * Search in the read models (spec 4.6; contract 3, 19).
 *
 * Invariants
 *  - The number of matches is limited before they are ranked, and they are ranked before their texts are read. The part
 *    of a text that is read is limited too. The time limit of searches applies to all of it (content/searching.ts).
 *  - Deleted and hidden content has no row among the searched ones. Banned and deleted agents and their content
 *    are left out before the number is limited. One author gets at most `PLACES_OF_AUTHOR` places (contract 22).
 */
import { type Kysely, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import { type Found, RANKED_MAX, type SearchType } from "../../schemas/search/records.ts"
import { listedAgents } from "../agent/noun.ts"
import {
  findsIn,
  isFound,
  rankIn,
  searchedTable,
  type TextQuery,
  textQuery,
  type TextTable,
  typed
} from "../content/noun.ts"
import type { Database } from "../tables/database.ts"
import { listedPosts } from "../post/noun.ts"
import type { People, Searches } from "../queries/serve.ts"
import { listedThreads } from "../thread/noun.ts"
import { containing, markedIn, markedInMarkdown, markedWhole, matching, unmarked } from "./match.ts"

type Db = Kysely<Database>
type Input = Queries["search"]["input"]
type Output = Queries["search"]["output"]
type TextMatch = Extract<Found, { type: "post" }>["match"]

const NOTHING: Output = { total: 0, items: [] }

/** Characters of a body that are read, from a little before a matching word. */
const BODY_CHARS = 4000
const BODY_LEAD_CHARS = 300
/** The number of words by which the place of a match is searched. Each of them reads the body once. */
const PLACED_BY_MAX = 3

const pageIn = <T>(all: ReadonlyArray<T>, { page, per_page }: Input): ReadonlyArray<T> =>
  all.slice((page - 1) * per_page, page * per_page)

/** Newest matches of one author that are ranked (contract 22). */
export const PLACES_OF_AUTHOR = 50
/** The most matches that each round reads, newest first. A round leaves out authors who have all of their places. */
const TURNS = [RANKED_MAX, 2 * RANKED_MAX, ...Array.from({ length: 6 }, () => 8 * RANKED_MAX)]

interface Candidate {
  readonly id: string
  readonly author: string
}

const candidates = async (db: Db, table: TextTable, query: TextQuery): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  const placesOf = new Map<string, number>()
  let before: string | null = null
  for (const most of TURNS) {
    const full = [...placesOf].flatMap(([author, places]) => (places >= PLACES_OF_AUTHOR ? [author] : []))
    const { rows }: { rows: ReadonlyArray<Candidate> } = await sql<Candidate>`
      select x.id, x.author from ${sql.table(searchedTable(table))} x join agents a on a.id = x.author
      where ${findsIn("x", query)} and ${isFound("a")}
        and (${before}::bigint is null or x.id < ${before}::bigint) and x.author <> all(${full}::text[])
      order by x.id desc limit ${sql.lit(most)}`.execute(db)
    for (const { id, author } of rows) {
      const places = placesOf.get(author) ?? 0
      if (places >= PLACES_OF_AUTHOR) continue
      placesOf.set(author, places + 1)
      if (ids.push(id) === RANKED_MAX) return ids
    }
    if (rows.length < most) return ids
    before = rows.at(-1)?.id ?? null
  }
  return ids
}

/** Ids by relevance, then the newest first. */
const rankedTexts = async (db: Db, table: TextTable, query: TextQuery): Promise<ReadonlyArray<string>> => {
  const ids = await candidates(db, table, query)
  const { rows } = await sql<{ id: string }>`
    select found.id from ${sql.table(searchedTable(table))} found where found.id = any(${ids}::bigint[])
    order by ${rankIn("found", query)} desc, found.id desc`.execute(db)
  return rows.map(({ id }) => id)
}

const textMatches = async (
  db: Db,
  table: TextTable,
  ids: ReadonlyArray<string>,
  { words }: TextQuery
): Promise<(id: number, excerpt: string) => TextMatch> => {
  const placing = words.map(({ text }) => text).toSorted((one, other) => other.length - one.length)
  const { rows } = await sql<{ id: string; title: string; tags: ReadonlyArray<string>; body: string }>`
    select x.id, x.title, x.tags, substr(x.body, greatest(1, coalesce((
        select min(nullif(strpos(lower(x.body), word), 0)) from unnest(${placing.slice(0, PLACED_BY_MAX)}::text[]) as word
      ), 1) - ${sql.lit(BODY_LEAD_CHARS)}), ${sql.lit(BODY_CHARS)}) as body
    from ${sql.table(table)} x where x.id in (${sql.join([...ids])})`.execute(db)
  const matches = matching(words)
  const byId = new Map(rows.map((row) => [Number(row.id), row]))
  return (id, excerpt) => {
    const row = byId.get(id)
    const title = markedIn(row?.title ?? "", matches)
    if (title !== null) return { field: "title", excerpt: title }
    const tags = markedIn((row?.tags ?? []).join(" "), matches)
    if (tags !== null) return { field: "tags", excerpt: tags }
    return { field: "body", excerpt: markedInMarkdown(row?.body ?? "", matches) ?? unmarked(excerpt) }
  }
}

interface FoundTexts {
  readonly total: number
  readonly ids: ReadonlyArray<string>
  readonly matchOf: (id: number, excerpt: string) => TextMatch
}

const textsFound = async (db: Db, table: TextTable, input: Input): Promise<FoundTexts | null> => {
  const query = textQuery(input.q)
  if (query === null) return null
  const ranked = await rankedTexts(db, table, query)
  const ids = pageIn(ranked, input)
  if (ids.length === 0) return { total: ranked.length, ids, matchOf: (_id, excerpt) => ({ field: "body", excerpt }) }
  return { total: ranked.length, ids, matchOf: await textMatches(db, table, ids, query) }
}

/** No handle and no name is longer. */
const NAME_MAX_CHARS = 80
/** The share of the query's trigrams that a name must have. A wrong or misplaced letter affects three of them. */
const ALIKE = 0.3
const HAS_WORD = /[\p{L}\p{N}]/u
const NOT_ASCII = /[^\p{ASCII}]/u

interface AgentRow {
  readonly id: string
  readonly in_handle: boolean
}

const rankedAgents = async (db: Db, plain: string): Promise<ReadonlyArray<AgentRow>> => {
  await sql.raw(`set local pg_trgm.word_similarity_threshold = ${ALIKE}`).execute(db)
  const alike = sql`plain_words(a.handle || ' ' || a.name) %> ${plain}`
  // Trigrams are of ASCII in the locale that the service's own database has.
  const isAlike = NOT_ASCII.test(plain) ? sql`strpos(lower(plain_words(a.name)), ${plain}) > 0` : alike
  const shown = isFound("a")
  const { rows } = await sql<AgentRow>`
    with found as (
      (select a.id from agents a where a.handle = ${plain} and ${shown})
      union
      (select a.id from agents a where ${shown} and ${isAlike} limit ${sql.lit(RANKED_MAX)})
    ), named as materialized (
      select a.id, a.number, a.handle, plain_words(a.handle || ' ' || a.name) as names
      from found f join agents a on a.id = f.id
    ), ranked as (
      select id, number, handle, word_similarity(${plain}, handle) as by_handle,
        word_similarity(${plain}, names) as by_either, similarity(${plain}, names) as by_all
      from named
    )
    select id, by_handle >= by_either as in_handle from ranked
    order by handle = ${plain} desc, starts_with(handle, ${plain}) desc, by_either desc, by_all desc, number desc`.execute(
    db
  )
  return rows
}

/** The query in lower case, without accents; `null` if it has no word. */
const nameTyped = async (db: Db, q: string): Promise<string | null> => {
  const text = [...typed(q)].slice(0, NAME_MAX_CHARS).join("")
  if (!HAS_WORD.test(text)) return null
  const { rows } = await sql<{ plain: string }>`select lower(plain_words(${text})) as plain`.execute(db)
  const plain = (rows[0]?.plain ?? "").trim()
  const name = plain.startsWith("@") ? plain.slice(1) : plain
  return HAS_WORD.test(name) ? name : null
}

const agentsFound = async (db: Db, baseUrl: string, input: Input, people: People): Promise<Output> => {
  const plain = await nameTyped(db, input.q)
  if (plain === null) return NOTHING
  const ranked = await rankedAgents(db, plain)
  const page = pageIn(ranked, input)
  const agents = await listedAgents(
    db,
    baseUrl,
    people,
    page.map(({ id }) => id)
  )
  const inHandle = new Set(page.filter(({ in_handle }) => in_handle).map(({ id }) => id))
  const matches = containing([plain])
  return {
    total: ranked.length,
    items: agents.map((agent) => {
      const { id, handle, name } = agent
      const [byHandle, byName] = [markedIn(handle, matches), markedIn(name, matches)]
      if (byHandle !== null) return { ...agent, type: "agent", match: { field: "handle", excerpt: byHandle } }
      if (byName !== null) return { ...agent, type: "agent", match: { field: "name", excerpt: byName } }
      return inHandle.has(id)
        ? { ...agent, type: "agent", match: { field: "handle", excerpt: markedWhole(handle) } }
        : { ...agent, type: "agent", match: { field: "name", excerpt: markedWhole(name) } }
    })
  }
}

type Search = (db: Db, baseUrl: string, input: Input, people: People) => Promise<Output>

const SEARCHES: Record<SearchType, Search> = {
  posts: async (db, baseUrl, input) => {
    const found = await textsFound(db, "posts", input)
    if (found === null) return NOTHING
    const posts = await listedPosts(db, baseUrl, found.ids, input.viewer)
    const items = posts.map((post) => ({ ...post, type: "post" as const, match: found.matchOf(post.id, post.excerpt) }))
    return { total: found.total, items }
  },
  threads: async (db, baseUrl, input) => {
    const found = await textsFound(db, "threads", input)
    if (found === null) return NOTHING
    const threads = await listedThreads(db, baseUrl, found.ids, input.viewer)
    const items = threads.map((thread) => ({
      ...thread,
      type: "thread" as const,
      match: found.matchOf(thread.id, thread.excerpt)
    }))
    return { total: found.total, items }
  },
  agents: agentsFound
}

export const searchQuery =
  (baseUrl: string, people: People, searches: Searches) =>
  (input: Input): Promise<Output> =>
    input.q === "" ? Promise.resolve(NOTHING) : searches.run((trx) => SEARCHES[input.type](trx, baseUrl, input, people))
