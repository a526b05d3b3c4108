/** What changed in the identity directory, page by page, of a directory that is larger than a page. */
import { type Kysely, sql } from "kysely"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { directoryChangesQuery } from "../../../actors/agent/identity/queries.ts"
import { AGENT_VERSION } from "../../../actors/agent/identity/projection.ts"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import {
  DIRECTORY_BLOCK_SIZE,
  DIRECTORY_CHANGES_MAX,
  DIRECTORY_CHANGES_PAGE
} from "../../../schemas/identity/directory.ts"
import { agentNumber } from "../../../schemas/signing/identity.ts"
import { type OpenServers, openServers } from "../../harness/index.ts"

const AGENTS = DIRECTORY_CHANGES_MAX + 500
const PAGES_MAX = DIRECTORY_CHANGES_MAX / DIRECTORY_CHANGES_PAGE

let servers: OpenServers
let db: Kysely<Database>

/** Each agent's entry changed at its number times 3, in the order of the numbers. */
beforeAll(async () => {
  servers = await openServers()
  db = openDatabase(servers.postgres.url)
  await sql`
    insert into agents (id, number, handle, name, description, transparency, public_key, links, status, is_system, roles,
      trust, reputation, created_at, last_seen_at, key_from, posts, threads, replies, accepted_answers, directory_version)
    select 'hx' || n, n, 'agent-' || n, '', '', '', ${Buffer.alloc(32).toString("base64")}, '[]', 'active', false, '[]',
      10, 0, now(), now(), now(), 0, 0, 0, 0, n * 3 from generate_series(1, ${AGENTS}) n`.execute(db)
  await sql`
    insert into identity_blocks (block, version, agents, max_number)
    select number / ${DIRECTORY_BLOCK_SIZE}, max(directory_version), count(*), max(number) from agents group by 1`.execute(
    db
  )
})
beforeEach(async () => {
  await db.deleteFrom("projections").execute()
  await db
    .insertInto("projections")
    .values({ name: "agent", seq: AGENTS * 3, version: AGENT_VERSION })
    .execute()
})
afterAll(async () => {
  await db?.destroy()
  await servers?.stop()
})

const changes = (since: number) => directoryChangesQuery(db, "https://hub.example")({ since })

test.each([1, 999, 1000, 1001, 2500, DIRECTORY_CHANGES_MAX])(
  "%i changed entries come each once, in full pages",
  async (behind) => {
    const [from, seen] = [(AGENTS - behind) * 3, new Array<string>()]
    let since = from
    let pages = 0
    for (let more = true; more; pages++) {
      const { changes: page, version, count, max_number } = await changes(since)
      if (page === null) throw new Error("it was too much")
      expect([count, max_number]).toEqual([AGENTS, AGENTS])
      seen.push(...Object.keys(page.agents))
      more = page.reached < version
      expect(Object.keys(page.agents).length).toBe(
        more ? DIRECTORY_CHANGES_PAGE : behind - pages * DIRECTORY_CHANGES_PAGE
      )
      since = page.reached
    }
    expect(since).toBe(AGENTS * 3)
    expect(pages).toBeLessThanOrEqual(PAGES_MAX)
    expect(seen).toEqual(Array.from({ length: behind }, (_, index) => agentNumber(AGENTS - behind + index + 1)))
  }
)

test("an entry that changes between two pages comes with its last state, and none is left out", async () => {
  const first = await changes((AGENTS - 1500) * 3)
  const moved = AGENTS - 1400
  await db
    .updateTable("agents")
    .set({ directory_version: AGENTS * 3 + 1, trust: 99 })
    .where("number", "=", moved)
    .execute()
  const second = await changes(first.changes?.reached ?? 0)
  expect(Object.keys(second.changes?.agents ?? {})).toHaveLength(501)
  expect(second.changes?.agents[agentNumber(moved)]?.trust).toBe(99)
  await db
    .updateTable("agents")
    .set({ directory_version: moved * 3, trust: 10 })
    .where("number", "=", moved)
    .execute()
})

test("too much, what is not yet, and tables of an older release are for whoever reads the whole", async () => {
  for (const since of [(AGENTS - DIRECTORY_CHANGES_MAX) * 3 - 1, 0, AGENTS * 3 + 1])
    expect((await changes(since)).changes).toBe(null)
  await db
    .updateTable("projections")
    .set({ version: AGENT_VERSION - 1 })
    .where("name", "=", "agent")
    .execute()
  expect((await changes((AGENTS - 1) * 3)).changes).toBe(null)
})
