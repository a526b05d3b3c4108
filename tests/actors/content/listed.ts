/** Long lists in tables of their own, what a page of one should hold, and by which plan its statements are carried out. */
import { type CompiledQuery, type Kysely, type RawBuilder, sql } from "kysely"
import { expect } from "vitest"
import { EXACT_MAX, MARK_EVERY } from "../../../actors/content/listing.ts"
import { type Database, LIVE_SCHEMA, openBulkDatabase } from "../../../actors/tables/database.ts"
import type { PostSort } from "../../../schemas/post/records.ts"
import type { ReplySort } from "../../../schemas/reply/records.ts"
import type { ThreadSort } from "../../../schemas/thread/records.ts"
import { type OpenServers, openServers } from "../../harness/index.ts"
import { type Watched, watchedDatabase } from "../../support/asked.ts"
import { fillAgents, fillPosts, fillReplies, fillThreads, settled } from "./filled.ts"

export const POSTS = 200_000
export const THREADS = 60_000
export const REPLIES = 60_000
/** The thread that has them. */
export const THREAD = 7
export const VOTER = "hx000000000000000000000009"
export const VOTES = 20_000
export const PER_PAGE = 20

let servers: OpenServers
export let bulk: Kysely<Database>
export let watched: Watched

export const fill = async (): Promise<void> => {
  servers = await openServers()
  bulk = openBulkDatabase(servers.postgres.url, LIVE_SCHEMA)
  await fillAgents(bulk)
  await fillPosts(bulk, POSTS)
  await fillThreads(bulk, THREADS)
  await fillReplies(bulk, THREAD, REPLIES)
  await sql`
    insert into votes select 'post-' || n || '-v', ${VOTER}, 'post', n, 1, now() - n / 3 * interval '1 second'
    from generate_series(1, ${VOTES}) n`.execute(bulk)
  await settled(bulk, "votes")
  watched = watchedDatabase(servers.postgres.url)
}
export const close = async (): Promise<void> => {
  await bulk?.destroy()
  await watched?.db.destroy()
  await servers?.stop()
}

interface Node {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Actual Rows": number
  readonly "Actual Loops": number
  readonly "Rows Removed by Filter"?: number
  readonly Plans?: ReadonlyArray<Node>
}

const nodesOf = (node: Node): ReadonlyArray<Node> => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

export const planOf = async ({ sql: text, parameters }: Pick<CompiledQuery, "sql" | "parameters">) => {
  const { rows } = await watched.pool.query<{ "QUERY PLAN": readonly [{ readonly Plan: Node }] }>(
    `explain (analyze, format json) ${text}`,
    [...parameters]
  )
  const nodes = rows.flatMap((row) => nodesOf(row["QUERY PLAN"][0].Plan))
  return {
    types: nodes.map((node) => `${node["Node Type"]} ${node["Relation Name"] ?? ""}`.trim()),
    rows: Math.max(
      ...nodes.map((node) => (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"])
    )
  }
}

/** By what a statement is for: the ids of a page, its rows, the walk that takes marks, a number. */
const isPage = ({ sql: text }: Pick<CompiledQuery, "sql">): boolean => text.includes(" offset ")
export const isWalk = ({ sql: text }: Pick<CompiledQuery, "sql">): boolean => text.includes("row_number()")
export const isCount = ({ sql: text }: Pick<CompiledQuery, "sql">): boolean =>
  /count\(\*\)/.test(text) && !isPage({ sql: text })

export const READ_MAX = EXACT_MAX + MARK_EVERY + 200

const NEVER = /^(?!)/

/** Every statement but walks and counts: no sort of a list, no table read through, few rows. */
export const expectQuick = async (table: string): Promise<void> => {
  const statements = watched.asked.filter((one) => !isWalk(one) && !isCount(one))
  expect(statements.some(isPage)).toBe(true)
  for (const statement of statements) {
    const { types, rows } = await planOf(statement)
    const sorts = isPage(statement) ? /Sort/ : NEVER
    expect(types.filter((type) => sorts.test(type) || type === `Seq Scan ${table}`)).toEqual([])
    expect(rows).toBeLessThanOrEqual(READ_MAX)
  }
}

/** Page by page as an offset has it. */
export const byOffset = async (
  from: RawBuilder<unknown>,
  order: string,
  page: number
): Promise<ReadonlyArray<number>> => {
  const { rows } = await sql<{ id: string }>`
    select id from ${from} order by ${sql.raw(order)} limit ${PER_PAGE} offset ${(page - 1) * PER_PAGE}`.execute(bulk)
  return rows.map(({ id }) => Number(id))
}

/** The first, the last that is counted from the beginning, the next, one in the middle, one near the end. */
export const pagesOf = (total: number): ReadonlyArray<number> => {
  const exact = EXACT_MAX / PER_PAGE
  return [1, exact + 1, exact + 2, Math.floor(total / 2 / PER_PAGE) + 1, Math.ceil(total / PER_PAGE)]
}

export const POST_ORDER: Record<PostSort, string> = {
  newest: "created_at desc, id desc",
  oldest: "created_at, id",
  top: "score desc, id desc",
  hot: "hot desc, id desc",
  updated: "updated_at desc, id desc"
}

export const THREAD_ORDER: Record<ThreadSort, string> = {
  active: "last_activity_at desc, id desc",
  newest: "created_at desc, id desc",
  oldest: "created_at, id",
  top: "score desc, id desc",
  unanswered: "reply_count, created_at desc, id desc"
}

export const REPLY_ORDER: Record<ReplySort, string> = {
  oldest: "created_at, id",
  newest: "created_at desc, id desc",
  top: "score desc, id desc"
}
