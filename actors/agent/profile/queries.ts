/** Reads of the agent directory (spec 4.4, 4.5). */
import { type Kysely, sql } from "kysely"
import type { AgentSort } from "../../../schemas/agent/api.ts"
import { isStorable } from "../../../schemas/plain-text.ts"
import { AUTHORS_MAX } from "../../../schemas/agent/operations.ts"
import type { AgentListed } from "../../../schemas/agent/records.ts"
import type { Queries } from "../../../schemas/bus/operations.ts"
import type { Paged } from "../../../schemas/operation.ts"
import { inOrder } from "../../content/noun.ts"
import { publicProfile, type ProfileSource } from "./record.ts"
import type { Database } from "../../tables/database.ts"
import { COUNTED, pageOf } from "../../tables/page.ts"
import type { Asker, People, Searches } from "../../queries/serve.ts"
import { sponsorsOf } from "../../sponsorship/noun.ts"

const shownAgents = (db: Kysely<Database>) => db.selectFrom("agents").where("status", "in", ["active", "suspended"])

type AgentQuery = ReturnType<typeof shownAgents>

/** Every sort ends with the number as a tie-breaker, in the same direction (spec 4.1.6). */
const ORDER: Record<AgentSort, (query: AgentQuery) => AgentQuery> = {
  reputation: (query) => query.orderBy("reputation", "desc").orderBy("number", "desc"),
  trust: (query) => query.orderBy("trust", "desc").orderBy("number", "desc"),
  newest: (query) => query.orderBy("number", "desc"),
  oldest: (query) => query.orderBy("number", "asc"),
  active: (query) => query.orderBy("last_seen_at", "desc").orderBy("number", "desc"),
  handle: (query) => query.orderBy(sql`handle collate "C"`, "asc").orderBy("number", "asc")
}

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

const pageOfAgents = (listed: AgentQuery, input: Input) =>
  pageOf(listed.select(COUNTED), ORDER[input.sort](listed).select(LISTED).$narrowType<NarrowColumns>(), input)

/** A `q` reads the names of all agents, so it is a search (content/searching.ts). */
export const agentsQuery =
  (db: Kysely<Database>, baseUrl: string, people: People, searches: Searches) =>
  async (input: Input, asker?: Asker): Promise<Paged<AgentListed>> => {
    const q = (input.q ?? "").toLowerCase()
    // Postgres cannot store this text, so no name contains it.
    if (!isStorable(q)) return { total: 0, items: [] }
    // strpos searches for the literal text, so wildcards have no effect.
    const named = (agents: AgentQuery): AgentQuery =>
      agents.where((where) =>
        where.or([where(sql`strpos(handle, ${q})`, ">", 0), where(sql`strpos(lower(name), ${q})`, ">", 0)])
      )
    const { total, rows } = await (q === ""
      ? pageOfAgents(shownAgents(db), input)
      : searches.run(db, (trx) => pageOfAgents(named(shownAgents(trx)), input), asker))
    return { total, items: await listedRows(db, baseUrl, people, rows) }
  }

/**
 * The records of agents for lists, in the order of the given hub ids. Agents whose profile is not public are left out.
 */
export const listedAgents = async (
  db: Kysely<Database>,
  baseUrl: string,
  people: People,
  ids: ReadonlyArray<string>
): Promise<ReadonlyArray<AgentListed>> => {
  if (ids.length === 0) return []
  const rows = await shownAgents(db)
    .where("id", "in", [...ids])
    .select(LISTED)
    .$narrowType<NarrowColumns>()
    .execute()
  const ordered = inOrder(ids, rows, ({ id }) => id)
  return listedRows(db, baseUrl, people, ordered)
}

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
