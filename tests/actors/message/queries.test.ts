/** Each list of an agent's messages goes along an index in its own order, however many there are. On real servers. */
import { type Kysely, sql } from "kysely"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import { listOf, messageQuery, messagesQuery } from "../../../actors/message/queries.ts"
import { type OpenServers, openServers } from "../../harness/index.ts"

/** A fifth of them to one agent, a fifth by it, the others between strangers. */
const MESSAGES = 60_000
const ME = "hx000000000000000000000001"
const OTHER = "hx000000000000000000000002"
const PAGE = 20

let servers: OpenServers
let db: Kysely<Database>

beforeAll(async () => {
  servers = await openServers()
  db = openDatabase(servers.postgres.url)
  const stranger = (modulus: number) => sql`'hx' || lpad((n % ${sql.lit(modulus)} + 3)::text, 24, '0')`
  const partner = sql`case when n % 3 = 0 then ${OTHER} else ${stranger(97)} end`
  await sql`
    insert into messages
    select n, case n % 5 when 0 then ${ME} when 1 then ${partner} else ${stranger(89)} end,
      case n % 5 when 1 then ${ME} when 0 then ${partner} else ${stranger(101)} end, '1-2', 'Text', null,
      timestamptz '2026-01-01' + n * interval '1 second', case when n % 40 = 1 then null else now() end
    from generate_series(1, ${MESSAGES}::bigint) n`.execute(db)
  await sql`
    insert into agents (id, number, handle, name, description, transparency, public_key, links, status, is_system,
      roles, trust, reputation, created_at, last_seen_at, key_from)
    select id, row_number() over (), id, 'Agent', '', '', 'k', '[]', 'active', false, '[]', 0, 0, now(), now(), now()
    from (select sender as id from messages union select recipient from messages) a`.execute(db)
  await sql`analyze messages, agents`.execute(db)
})
afterAll(async () => {
  await db?.destroy()
  await servers?.stop()
})

interface Plan {
  readonly "Node Type": string
  readonly "Actual Rows": number
  readonly "Rows Removed by Filter"?: number
  readonly Plans?: ReadonlyArray<Plan>
}

const nodesOf = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

type Asked = Parameters<typeof listOf>[1]

const ALL: Asked = { agent: ME, box: "all", with: null, unread: false, since_id: 0, page: 1, per_page: PAGE }

/** Of the first page. */
const planOf = async (asked: Partial<Asked>): Promise<ReadonlyArray<Plan>> => {
  const list = listOf(db, { ...ALL, ...asked })
  const { rows } = await sql<{ "QUERY PLAN": ReadonlyArray<{ Plan: Plan }> }>`
    explain (analyze, format json) ${list}`.execute(db)
  return rows.flatMap((row) => row["QUERY PLAN"]).flatMap(({ Plan: plan }) => nodesOf(plan))
}

describe("the first page reads little more than it shows", () => {
  const boxes = ["inbox", "sent", "all"] as const
  const cases = boxes.flatMap((box): ReadonlyArray<Partial<Asked>> => [{ box }, { box, with: OTHER }])
  test.each<Partial<Asked>>([...cases, { box: "inbox", unread: true }])("%j", async (asked) => {
    const nodes = await planOf(asked)
    const types = nodes.map((node) => node["Node Type"])
    expect(types).not.toContain("Seq Scan")
    expect(Math.max(...nodes.map((node) => node["Actual Rows"]))).toBeLessThanOrEqual(2 * PAGE)
    expect(nodes.reduce((sum, node) => sum + (node["Rows Removed by Filter"] ?? 0), 0)).toBe(0)
  })

  test.each(boxes)("of what is new in %s", async (box) => {
    const nodes = await planOf({ box, since_id: MESSAGES - 200 })
    expect(nodes.map((node) => node["Node Type"])).not.toContain("Seq Scan")
    const read = nodes.map((node) => node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0))
    expect(Math.max(...read)).toBeLessThanOrEqual(200)
  })
})

describe("a box", () => {
  type Listing = Parameters<ReturnType<typeof messagesQuery>>[0]
  const list = async (asked: Partial<Listing>, page = 1, per_page = PAGE) =>
    messagesQuery(db, "https://hub.example")({ ...ALL, ...asked, page, per_page })

  test("of both is that of either, in order, page by page, without a gap", async () => {
    const [inbox, sent, all] = await Promise.all(
      (["inbox", "sent", "all"] as const).map((box) => list({ box, with: OTHER }, 1, 100))
    )
    const [received = [], written = [], both = []] = [inbox, sent, all].map((found) => found?.items)
    expect(received.every(({ from, to }) => from.id === OTHER && to.id === ME)).toBe(true)
    expect(written.every(({ from, to }) => from.id === ME && to.id === OTHER)).toBe(true)
    expect(all?.total).toBe((inbox?.total ?? 0) + (sent?.total ?? 0))
    const merged = [...received, ...written].toSorted((one, other) => other.id - one.id)
    expect(both.map(({ id }) => id)).toEqual(merged.slice(0, 100).map(({ id }) => id))
    const pages = await Promise.all([1, 2, 3].map((page) => list({ with: OTHER }, page, 7)))
    expect(pages.flatMap(({ items }) => items)).toEqual(both.slice(0, 21))
  })

  test("of nobody's is empty, and no message is found by a third agent", async () => {
    const [first] = (await list({ box: "inbox" })).items
    const one = (agent: string) => messageQuery(db, "https://hub.example")({ agent, id: first?.id ?? 0 })
    expect(await one(ME)).toEqual(first)
    expect(await one("hx000000000000000000000000")).toBeNull()
    expect(await list({ agent: "hx000000000000000000000000" })).toEqual({ total: 0, items: [] })
  })
  test("beside a gap is not waited for: it says what it is held by, or ends below the gap", async () => {
    const newest = (await list({ box: "inbox" })).items[0]?.id ?? 0
    const gap = newest - 1_000
    await sql`insert into message_gaps values (${gap}, now())`.execute(db)
    try {
      const held = { held: newest, total: 0, items: [] }
      expect(await list({ box: "inbox", until: null })).toEqual(held)
      expect(await list({ box: "inbox", until: newest })).toEqual(held)
      const below = await list({ box: "inbox" })
      expect(below.items.map(({ id }) => id < gap)).toEqual(Array.from({ length: PAGE }, () => true))
      expect(await list({ box: "inbox", until: gap - 1 })).toEqual(below)
      expect((await list({ box: "inbox", until: null, since_id: gap })).items[0]?.id).toBe(newest)
    } finally {
      await sql`delete from message_gaps`.execute(db)
    }
    expect((await list({ box: "inbox", until: newest })).items[0]?.id).toBe(newest)
  })
})
