/**
 * `hub verify` finds what was damaged and nothing else; `hub rebuild` mends it, beside readers that hold on to what
 * they read.
 */
import { Effect } from "effect"
import { sql } from "kysely"
import pg from "pg"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { agentProjection } from "../../actors/agent/projection.ts"
import { seenProjection } from "../../actors/agent/seen/projection.ts"
import { PROJECTIONS } from "../../actors/projections/all.ts"
import type { Projection } from "../../actors/projections/projection.ts"
import { rebuild, type RebuildParts, type Rebuilt } from "../../actors/projections/rebuild.ts"
import { Busy, exclusively } from "../../actors/projections/steps.ts"
import { Finding, type Options } from "../../ops/cli/command.ts"
import { progressOf } from "../../ops/cli/progress.ts"
import { rebuildCommand } from "../../ops/cli/rebuild.ts"
import { statusCommand } from "../../ops/cli/status.ts"
import { verifyCommand } from "../../ops/cli/verify.ts"
import { waitFor } from "../harness/index.ts"
import { hub } from "../support/hub.ts"
import { openScope } from "../support/scope.ts"
import { type TestService, testService } from "../support/service.ts"
import { type History, liveThrough, said } from "./history.ts"

const SNAPSHOT_EVERY = 5
const CHANGES = 12

let service: TestService
let past: History

beforeAll(async () => {
  service = await testService({ limits: { "service.snapshot_every_commits": SNAPSHOT_EVERY } })
  past = await liveThrough(service)
  for (let change = 0; change < CHANGES; change++)
    await past.client.call("PATCH", "/api/v1/me", { body: { description: `Change ${change}.` } })
  await waitFor(
    () => service.view.db.selectFrom("snapshots").select("seq").where("id", "=", past.id).executeTakeFirst(),
    { describe: "a snapshot" }
  )
})
afterAll(() => service?.stop())

const verify = async (values: Options = {}): Promise<string | Finding> =>
  (await verifyCommand.run(service.view, { positionals: [], values })) as string | Finding

const found = async (values: Options = {}): Promise<string> => {
  const result = await verify(values)
  if (!(result instanceof Finding)) throw new Error(`nothing was found: ${result}`)
  return result.text
}

const parts = (projection: Projection = agentProjection): RebuildParts => ({
  nats: service.view.nats,
  manager: service.view.manager,
  databaseUrl: service.view.databaseUrl,
  projection,
  progress: () => undefined
})

const rebuilt = (given = parts()): Promise<Rebuilt> => Effect.runPromise(rebuild(given))

const run = (text: string): Promise<unknown> => sql.raw(text).execute(service.view.db)

const leftOver = async (): Promise<ReadonlyArray<string>> => {
  const { rows } = await sql<{
    name: string
  }>`select nspname as name from pg_namespace where nspname ~ '^(rebuild|verify)_'`.execute(service.view.db)
  return rows.map((row) => row.name)
}

describe("verify", () => {
  beforeEach(async () => {
    for (const projection of PROJECTIONS) await rebuilt(parts(projection))
  })

  test("of what nobody damaged, while the service writes", async () => {
    const over = new AbortController()
    const writing = (async () => {
      for (let change = 0; !over.signal.aborted; change++)
        await past.client.call("PATCH", "/api/v1/me", { body: { description: `Meanwhile ${change}.` } })
    })()
    for (let round = 0; round < 3; round++) {
      const result = await verify()
      expect(result).toMatch(
        /^snapshots: 1 of 1 equal the fold of their logs\nagent at sequence \d+\n {2}agents: 1 of 1 rows equal what the log makes\n/
      )
      expect(result).toContain("not compared: agents.last_seen_at, agent_seen: made of HUB_SEEN, ")
    }
    over.abort()
    await writing
    expect(await leftOver()).toEqual([])
  })

  test.each<[string, string, Options, RegExp]>([
    [
      "a value",
      "update agents set name = 'Somebody'",
      {},
      /agents: 1 of 1 rows DIFFER[\s\S]*first difference: agents hx\w+: name is "Somebody", the log makes it "Countess"\n/
    ],
    [
      "a row too few",
      "delete from categories where slug = 'help'",
      {},
      /first difference: categories help: is not served, the log makes it\n/
    ],
    [
      "a row too many",
      "insert into retired_keys values ('hx0', 'k', now(), now())",
      {},
      /retired_keys: 1 of 2 rows DIFFER[\s\S]*first difference: retired_keys hx0 k: is served, the log does not make it\n/
    ],
    [
      "a number inside a value",
      'update agents set links = \'[{"label":"x"}]\'',
      {},
      /agents hx\w+: links\[0\] is \{"label":"x"\}, the log makes it nothing\n/
    ],
    [
      "a part of a block",
      "update identity_blocks set version = version - 1",
      {},
      /identity_blocks \d+: version is \d+, the log makes it \d+\n/
    ],
    [
      "a picked value",
      "update score_entries set delta = 99",
      { sample: "10" },
      /score_entries hx\w+ 1: delta is 99, the log makes it 10\n/
    ]
  ])("finds %s", async (_what, damage, values, message) => {
    await run(damage)
    expect(await found(values)).toMatch(message)
    expect(await leftOver()).toEqual([])
  })

  test("of one kind looks at nothing else", async () => {
    await run("update agents set name = 'Somebody'")
    const categories = await verify({ kind: "category" })
    expect(categories).toMatch(
      /^snapshots: none\ncategory at sequence \d+\n {2}categories: 7 of 7 rows equal what the log makes\nverified in /
    )
    expect(await verify({ kind: "handle" })).toMatch(/^snapshots: none\nverified in /)
    expect(await found({ kind: "agent" })).toContain("first difference: agents ")
  })

  test("of a sample says what it cannot say", async () => {
    expect(await verify({ sample: "3" })).toContain(
      "not compared: identity_blocks: made of all actors, and only 3 were picked"
    )
  })

  test.each<[Options, string]>([
    [{ kind: "ghost" }, "--kind takes one of agent, "],
    [{ sample: "0" }, "--sample takes a whole number from 1 to "],
    [{ sample: "many" }, "--sample takes a whole number from 1 to "]
  ])("%j is refused", async (values, message) => {
    await expect(verify(values)).rejects.toThrow(message)
  })

  test("ends with status 1 as a process where something differs, its progress apart from its answer", async () => {
    await run("update agents set name = 'Somebody'")
    await expect(hub(service.system, ["verify"])).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining("first difference: agents ") as string,
      stderr: expect.stringMatching(
        /^agent: \d+ of \d+ \(100 %\), \d+ commits a second\n[^]*\ncategory: [^\n]*\n$/
      ) as string
    })
  })
})

describe("verify of snapshots", () => {
  const damaged = async (damage: string): Promise<string> => {
    await run("create table if not exists kept_snapshots as select * from snapshots")
    await run(damage)
    const text = await found({ kind: "agent" })
    await run("delete from snapshots")
    await run("insert into snapshots select * from kept_snapshots")
    return text
  }

  test("names the first field that is not what the log folds to", async () => {
    expect(await damaged("update snapshots set state = jsonb_set(state, '{keys,0,from}', '5')")).toMatch(
      /snapshots: 1 of 1 DIFFER[\s\S]*first difference: snapshot of agent hx\w+ at sequence \d+: state\.keys\[0\]\.from is 5, the log makes it \d{13}\n/
    )
  })

  test("shows no secret, even one that differs", async () => {
    const text = await damaged(
      "update snapshots set state = jsonb_set(state, '{webhook_secret}', '\"sealed1.another\"')"
    )
    expect(text).toContain('state.webhook_secret is "[secret 1]", the log makes it "[secret 2]"')
  })

  test("looks at the commands that are remembered too, and at where it stands", async () => {
    expect(await damaged("update snapshots set commands = jsonb_set(commands, '{1,id}', '\"another\"')")).toMatch(
      /commands\[1\]\.id is "another", the log makes it /
    )
    expect(await damaged("update snapshots set seq = seq + 1000000")).toMatch(
      /at sequence \d+: the log has its last commit before that at \d+\n/
    )
    expect(await damaged("update snapshots set id = 'hx000000000000000000000000'")).toContain(
      "the log has nothing of it"
    )
  })
})

describe("rebuild", () => {
  const shape = async (): Promise<unknown> => {
    const { rows } = await sql`
      select c.relname, c.relpersistence, c.reloptions, pg_get_indexdef(i.indexrelid) as index, con.conname
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      left join pg_index i on i.indrelid = c.oid left join pg_constraint con on con.conindid = i.indexrelid
      where n.nspname = 'public' and c.relkind = 'r' and c.relname <> 'kept_snapshots' order by 1, 4`.execute(
      service.view.db
    )
    return rows
  }

  test("mends every row and leaves tables, keys and indexes as they were, as often as it is done", async () => {
    const before = await shape()
    for (let round = 0; round < 2; round++) {
      await run("update agents set name = 'Somebody', last_seen_at = '2001-01-01'")
      await run("delete from agent_seen")
      expect(await said(rebuildCommand, service, [])).toMatch(
        /^agent rebuilt: \d+ commits in .* agents, score_entries, .*\nnotification rebuilt: .*\ndelivery rebuilt: .*\ncategory rebuilt: 7 commits in .*\nseen rebuilt: 1 commits in .* agent_seen took over at sequence \d+$/
      )
      expect(await verify()).toMatch(/verified in [\d.]+ s$/)
      const { rows } = await sql<{
        same: boolean
      }>`select a.last_seen_at = s.last_seen_at and a.last_seen_at > '2020-01-01' as same from agents a join agent_seen s on s.id = a.id`.execute(
        service.view.db
      )
      expect(rows).toEqual([{ same: true }])
    }
    expect(await shape()).toEqual(before)
    expect(await leftOver()).toEqual([])
  })

  test("of one view leaves the other alone", async () => {
    await run("update agents set name = 'Somebody'")
    expect(await said(rebuildCommand, service, ["seen"])).toMatch(/^seen rebuilt: [^\n]*$/)
    expect(await found()).toContain('name is "Somebody"')
    expect(await said(rebuildCommand, service, ["agent"])).toMatch(/^agent rebuilt: [^\n]*$/)
    expect(await verify()).toMatch(/verified in /)
  })

  test("waits for a reader that holds on to a table, and keeps no other reader waiting", async () => {
    const reader = new pg.Client({ connectionString: service.view.databaseUrl })
    await reader.connect()
    await reader.query("begin")
    await reader.query("select count(*) from score_entries")
    let done = false
    const rebuilding = rebuilt().finally(() => {
      done = true
    })
    const { rows: before } = await sql<{ oid: number }>`select 'agents'::regclass::oid::int as oid`.execute(
      service.view.db
    )
    const tried = () =>
      sql<{
        n: number
      }>`select count(*)::int as n from pg_locks where mode = 'AccessExclusiveLock' and not granted`.execute(
        service.view.db
      )
    await waitFor(async () => ((await tried()).rows[0]?.n ?? 0) > 0, { describe: "the swap to try for its lock" })
    const waited: Array<number> = []
    for (let read = 0; read < 10; read++) {
      const began = performance.now()
      await service.view.db.selectFrom("agents").select("id").execute()
      waited.push(performance.now() - began)
    }
    expect(Math.max(...waited)).toBeLessThan(2000)
    expect(done).toBe(false)
    await reader.query("commit")
    await reader.end()
    await rebuilding
    const { rows: after } = await sql<{ oid: number }>`select 'agents'::regclass::oid::int as oid`.execute(
      service.view.db
    )
    expect(after).not.toEqual(before)
    expect(await verify()).toMatch(/verified in /)
  })

  test("under way is told by status, with how far it has come", async () => {
    const models = async () =>
      (
        (await statusCommand.run(service.view, { positionals: [], values: { json: true } })) as {
          read_models: ReadonlyArray<{ name: string; rebuilt_to: number | null }>
        }
      ).read_models
    const holder = new pg.Client({ connectionString: service.view.databaseUrl })
    await holder.connect()
    await holder.query("begin")
    await holder.query("select seq from projections where name = 'agent' for update")
    const rebuilding = rebuilt()
    const [agent, ...others] = await waitFor(
      async () => {
        const found = await models()
        return found[0]?.rebuilt_to ? found : null
      },
      { describe: "status to tell of the rebuild" }
    )
    expect(agent).toMatchObject({ name: "agent", rebuilt_to: expect.any(Number) as number })
    expect(others.map(({ name, rebuilt_to }) => [name, rebuilt_to])).toEqual(
      ["notification", "delivery", "category", "seen"].map((name) => [name, null])
    )
    await holder.query("rollback")
    await holder.end()
    await rebuilding
    expect((await models()).map((model) => model.rebuilt_to)).toEqual([null, null, null, null, null])
  })

  test("goes on when the bus was gone for a moment", async () => {
    let outage: Promise<void> | null = null
    await rebuilt({
      ...parts(),
      pageSize: 1,
      progress: () => {
        outage ??= service.system.nats.kill().then(() => service.system.nats.restart())
      }
    })
    await outage
    expect(await verify()).toMatch(/verified in /)
  })

  test("is given up with Postgres; what was served is served again, and the next one finds no rest of it", async () => {
    const command = said(rebuildCommand, service, ["agent"])
    await Promise.all([
      expect(command).rejects.toThrow(/^agent was not rebuilt: .*; what is served is as it was$/),
      service.system.postgres.kill()
    ])
    await service.system.postgres.restart()
    await waitFor(verify, { describe: "Postgres to answer again" })
    expect(await said(rebuildCommand, service, ["agent"])).toMatch(/^agent rebuilt: /)
    expect(await leftOver()).toEqual([])
  })

  test("that is interrupted leaves everything as it was", async () => {
    const { rows: before } = await sql<{ oid: number }>`select 'agents'::regclass::oid::int as oid`.execute(
      service.view.db
    )
    const controller = new AbortController()
    await expect(
      Effect.runPromise(rebuild({ ...parts(), progress: () => controller.abort() }), { signal: controller.signal })
    ).rejects.toThrow()
    const { rows: after } = await sql<{ oid: number }>`select 'agents'::regclass::oid::int as oid`.execute(
      service.view.db
    )
    expect(after).toEqual(before)
    expect(await leftOver()).toEqual([])
  })

  test("is refused while another, or a verification, is under way; its end frees the place", async () => {
    const scope = openScope()
    await scope.make(exclusively(service.view.db))
    try {
      await expect(rebuilt(parts(seenProjection))).rejects.toThrow(Busy)
      await expect(verify()).rejects.toThrow("another rebuild or verification of the read models is under way")
      await expect(said(rebuildCommand, service, ["agent"])).rejects.toThrow("another rebuild or verification")
    } finally {
      await scope.close()
    }
    await rebuilt(parts(seenProjection))
  })
})

test("progress is a line now and then, and one at the end", () => {
  const lines: Array<string> = []
  const progress = progressOf("main", (line) => lines.push(line))
  for (let seq = 1; seq <= 1000; seq++) progress({ messages: seq, seq, target: 1000 })
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^main: 1000 of 1000 \(100 %\), \d+ commits a second\n$/)
})
