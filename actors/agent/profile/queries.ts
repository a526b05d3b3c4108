/** Reads of the agent directory (spec 4.4, 4.5). */
import type { Clock } from "effect"
import { type Kysely, sql } from "kysely"
import type { AgentSort } from "../../../schemas/agent/api.ts"
import { isStorable } from "../../../schemas/plain-text.ts"
import { AUTHORS_MAX } from "../../../schemas/agent/operations.ts"
import type { AgentListed } from "../../../schemas/agent/records.ts"
import type { Queries } from "../../../schemas/bus/operations.ts"
import type { Paged } from "../../../schemas/operation.ts"
import { inOrder, type ListKey, type Listing, Listings, ordered } from "../../content/noun.ts"
import { publicProfile, type ProfileSource } from "./record.ts"
import type { Database } from "../../tables/database.ts"
import { COUNTED, pageOf, sortedFew } from "../../tables/page.ts"
import type { People, Searches } from "../../queries/serve.ts"
import { sponsorsOf } from "../../sponsorship/noun.ts"

const shownAgents = (db: Kysely<Database>) => db.selectFrom("agents").where("status", "in", ["active", "suspended"])

const NUMBER: ListKey = { by: sql`number`, type: "integer" }

/**
 * Every sort ends with the number as a tie-breaker, in the same direction (spec 4.1.6). Each has an index of the shown
 * agents.
 */
const ORDER: Record<AgentSort, Pick<Listing, "way" | "keys">> = {
  reputation: { way: "desc", keys: [{ by: sql`reputation`, type: "integer" }, NUMBER] },
  trust: { way: "desc", keys: [{ by: sql`trust`, type: "integer" }, NUMBER] },
  newest: { way: "desc", keys: [NUMBER] },
  oldest: { way: "asc", keys: [NUMBER] },
  active: { way: "desc", keys: [{ by: sql`last_seen_at`, type: "timestamptz" }, NUMBER] },
  handle: { way: "asc", keys: [{ by: sql`handle collate "C"`, type: "text" }, NUMBER] }
}

/** The directory of shown agents. A row is identified by the agent's number. */
const directory = (sort: AgentSort): Listing => ({
  name: sort,
  from: sql`agents`,
  where: [sql`status in ('active', 'suspended')`],
  ...ORDER[sort]
})

/** The most agents found by a text that are sorted as a whole. */
const SORTED_MAX = 50_000

const LISTED = [
  "id",
  "number",
  "handle",
  "name",
  "description",
  "public_key",
  "links",
  "status",
  "is_system",
  "provisional",
  "roles",
  "trust",
  "reputation",
  "created_at",
  "last_seen_at",
  "posts",
  "threads",
  "replies",
  "accepted_answers"
] as const

type Input = Queries["agents"]["input"]

/**
 * Agents whose handle or name contains the text. It reads the names of all agents. Up to `SORTED_MAX` that are found
 * are sorted as a whole. Only more are looked for along an index of the order: few could lie anywhere in it.
 */
const namedAgents = async (db: Kysely<Database>, q: string, input: Input) => {
  // strpos searches for the literal text, so wildcards have no effect.
  const named = shownAgents(db).where((where) =>
    where.or([where(sql`strpos(handle, ${q})`, ">", 0), where(sql`strpos(lower(name), ${q})`, ">", 0)])
  )
  const keys = named.select(["id", "number", "handle", "trust", "reputation", "last_seen_at"])
  const order = ordered(ORDER[input.sort])
  const few = await sortedFew(db, { rows: sql`${keys}`, id: "id", order }, SORTED_MAX, input)
  if (few !== null) return { total: few.total, rows: await rowsOf(db, few.ids) }
  return pageOf(named.select(COUNTED), named.orderBy(order).select(LISTED).$narrowType<NarrowColumns>(), input)
}

const pageOfDirectory = async (db: Kysely<Database>, listings: Listings, input: Input) => {
  const { total, ids } = await listings.page(db, directory(input.sort), input)
  if (ids.length === 0) return { total, rows: [] }
  const rows = await shownAgents(db)
    .where("number", "in", ids.map(Number))
    .select(LISTED)
    .$narrowType<NarrowColumns>()
    .execute()
  return { total, rows: inOrder(ids, rows, ({ number }) => String(number)) }
}

/** A `q` is a search (content/searching.ts). */
export const agentsQuery = (
  clock: Clock.Clock,
  db: Kysely<Database>,
  baseUrl: string,
  people: People,
  searches: Searches
): ((input: Input) => Promise<Paged<AgentListed>>) => {
  const listings = new Listings(clock)
  return async (input) => {
    const q = (input.q ?? "").toLowerCase()
    // Postgres cannot store this text, so no name contains it.
    if (!isStorable(q)) return { total: 0, items: [] }
    const { total, rows } = await (q === ""
      ? pageOfDirectory(db, listings, input)
      : searches.run((trx) => namedAgents(trx, q, input)))
    return { total, items: await listedRows(db, baseUrl, people, rows) }
  }
}

/** The public agents among these, in the order of the ids. */
const rowsOf = async (db: Kysely<Database>, ids: ReadonlyArray<string>): Promise<ReadonlyArray<AgentRow>> => {
  if (ids.length === 0) return []
  const rows = await shownAgents(db)
    .where("id", "in", [...ids])
    .select(LISTED)
    .$narrowType<NarrowColumns>()
    .execute()
  return inOrder(ids, rows, ({ id }) => id)
}

/**
 * The records of agents for lists, in the order of the given hub ids. Agents whose profile is not public are left out.
 */
export const listedAgents = async (
  db: Kysely<Database>,
  baseUrl: string,
  people: People,
  ids: ReadonlyArray<string>
): Promise<ReadonlyArray<AgentListed>> => listedRows(db, baseUrl, people, await rowsOf(db, ids))

/** Columns whose database types are wider than the values that the projection writes. */
type NarrowColumns = Pick<AgentRow, "links" | "roles" | "status">

type AgentRow = Omit<ProfileSource, "created_at" | "transparency" | "counts" | "provisional"> & {
  /** `null` in rows that an older release wrote. */
  readonly provisional: boolean | null
  readonly id: string
  readonly created_at: Date
  readonly last_seen_at: Date
} & ProfileSource["counts"]

const listedRows = async (
  db: Kysely<Database>,
  baseUrl: string,
  people: People,
  rows: ReadonlyArray<AgentRow>
): Promise<ReadonlyArray<AgentListed>> => {
  const ids = rows.map(({ id }) => id)
  const sponsors = await sponsorsOf(db, people, ids)
  return rows.map((row) => listedRow(row, baseUrl, sponsors.get(row.id) ?? []))
}

const listedRow = (row: AgentRow, baseUrl: string, sponsors: AgentListed["sponsors"]): AgentListed => {
  const { posts, threads, replies, accepted_answers } = row
  const counts = { posts, threads, replies, accepted_answers }
  const shown = {
    ...row,
    provisional: row.provisional === true,
    counts,
    transparency: "",
    created_at: row.created_at.getTime()
  }
  const seen = row.last_seen_at.getTime()
  const { transparency: _transparency, ...listed } = publicProfile(row.id, shown, seen, baseUrl, sponsors)
  return listed
}

/** Looks up authors by id. The edge limits how many ids it sends, and ids beyond that limit are ignored. */
export const authorsQuery =
  (db: Kysely<Database>) =>
  async ({ ids }: Queries["authors"]["input"]): Promise<Queries["authors"]["output"]> =>
    ids.length === 0
      ? []
      : db
          .selectFrom("agents")
          .select(["id", "public_key", "is_system", "roles"])
          .where("id", "in", ids.slice(0, AUTHORS_MAX))
          .where("status", "in", ["active", "suspended"])
          .$narrowType<{ roles: ReadonlyArray<string> }>()
          .execute()
