/** `hub rebuild` mends what was damaged, beside readers that hold on to what they read. */
import { Effect } from "effect"
import { sql } from "kysely"
import pg from "pg"
import { expect, test } from "vitest"
import { agentProjection } from "../../actors/agent/projection.ts"
import { seenProjection } from "../../actors/agent/seen/aspect.ts"
import { PROJECTIONS } from "../../actors/process/projections.ts"
import type { Projection } from "../../actors/projections/projection.ts"
import { rebuild } from "../../actors/projections/rebuild.ts"
import { Busy, exclusively, inPlace } from "../../actors/projections/steps.ts"
import { rebuildCommand, rebuilt as commandRebuilt } from "../../ops/cli/rebuild.ts"
import { clusterOf } from "../../ops/status/cluster.ts"
import { waitFor } from "../harness/index.ts"
import { openScope } from "../support/scope.ts"
import { said } from "./history.ts"
import { service, verify, found, parts, rebuilt, run } from "./verified.ts"
import { leftOver } from "../support/tables.ts"

/** Only a read that is held up takes so long. */
const READ_MAX_MS = 120_000

/** What is told of the projections that have something to rebuild. */
const REBUILT: Readonly<Record<string, string>> = {
  agent: "\\d+ commits in .* agents, blocks, .*",
  seen: "1 commits in .* agent_seen took over at sequence \\d+",
  category: "7 commits in .*"
}

export const rebuildTests = (): void => {
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
        new RegExp(`^${PROJECTIONS.map(({ name }) => `${name} rebuilt: ${REBUILT[name] ?? ".*"}`).join("\n")}$`)
      )
      expect(await verify()).toMatch(/verified in [\d.]+ s$/)
      const { rows } = await sql<{
        same: boolean
      }>`
        select a.last_seen_at = s.last_seen_at and a.last_seen_at > '2020-01-01' as same
        from agents a join agent_seen s on s.id = a.id`.execute(service.view.db)
      expect(rows).toEqual([{ same: true }])
    }
    expect(await shape()).toEqual(before)
    expect(await leftOver(service.view.db)).toEqual([])
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
    expect(Math.max(...waited)).toBeLessThan(READ_MAX_MS)
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
    const models = async () => (await clusterOf(service.view)).read_models ?? []
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
      PROJECTIONS.slice(1).map(({ name }) => [name, null])
    )
    await holder.query("rollback")
    await holder.end()
    await rebuilding
    expect((await models()).map((model) => model.rebuilt_to)).toEqual(PROJECTIONS.map(() => null))
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
    expect(await leftOver(service.view.db)).toEqual([])
  })

  test("of several that ends at one of them says which were replaced before", async () => {
    const agents = async () =>
      (await sql<{ oid: number }>`select 'agents'::regclass::oid::int as oid`.execute(service.view.db)).rows[0]?.oid
    const before = await agents()
    const failing: Projection = {
      ...seenProjection,
      settle: async () => {
        await waitFor(async () => (await agents()) !== before, { describe: "the other one to be replaced" })
        throw new Error("no room")
      }
    }
    const command = commandRebuilt(
      service.view,
      [agentProjection, failing],
      new AbortController().signal,
      () => () => undefined
    )
    await expect(command).rejects.toThrow(
      /^agent rebuilt: .*\nseen was not rebuilt: no room; what is served is as it was$/
    )
    expect(await leftOver(service.view.db)).toEqual([])
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
    expect(await leftOver(service.view.db)).toEqual([])
  })

  test("that has lost its lock serves nothing of the one that follows it", async () => {
    const reader = new pg.Client({ connectionString: service.view.databaseUrl })
    await reader.connect()
    await reader.query("begin")
    await reader.query("select count(*) from score_entries")
    const first = rebuilt().then(
      () => "done",
      (error: unknown) => String(error)
    )
    const waits = () =>
      sql<{
        n: number
      }>`select count(*)::int as n from pg_locks where mode = 'AccessExclusiveLock' and not granted`.execute(
        service.view.db
      )
    await waitFor(async () => ((await waits()).rows[0]?.n ?? 0) > 0, { describe: "the swap to try for its lock" })
    const { rows: holders } = await sql<{ pid: number }>`
      select pid, pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`.execute(
      service.view.db
    )
    expect(holders.length).toBeGreaterThan(0)
    // A backend that is told to end has its locks for a moment longer.
    const pids = holders.map(({ pid }) => pid)
    const left = () => sql`select pid from pg_stat_activity where pid = any(${pids})`.execute(service.view.db)
    await waitFor(async () => (await left()).rows.length === 0, { describe: "the end of who had the lock" })
    // On a slow machine the reader may keep it out for all of its tries.
    const second = rebuilt().then(
      () => "done",
      (error: unknown) => String(error)
    )
    await waitFor(() => Promise.race([first, Promise.resolve(null)]), { describe: "the first to fail" })
    await reader.query("commit")
    await reader.end()
    expect(await first).not.toBe("done")
    const outcome = await second
    if (outcome !== "done") {
      expect(outcome).toContain("lock timeout")
      await rebuilt()
    }
    expect(await verify()).toMatch(/verified in /)
  })

  test("is refused while the same one, or as many as may be, are under way; their end frees the places", async () => {
    const first = openScope()
    await first.make(inPlace(service.view.db, ["agent"]))
    try {
      await expect(rebuilt(parts())).rejects.toThrow("agent is being rebuilt or verified")
      await expect(verify()).rejects.toThrow("agent is being rebuilt or verified")
      await expect(said(rebuildCommand, service, ["agent"])).rejects.toThrow("agent is being rebuilt or verified")
      await rebuilt(parts(seenProjection))
      const second = openScope()
      await second.make(inPlace(service.view.db, ["category"]))
      try {
        await expect(rebuilt(parts(seenProjection))).rejects.toThrow(Busy)
      } finally {
        await second.close()
      }
      const all = openScope()
      await expect(all.make(exclusively(service.view.db))).rejects.toThrow(Busy)
      await all.close()
      await rebuilt(parts(seenProjection))
    } finally {
      await first.close()
    }
    const all = openScope()
    await all.make(exclusively(service.view.db))
    await expect(rebuilt(parts(seenProjection))).rejects.toThrow(Busy)
    await all.close()
    await rebuilt(parts(seenProjection))
  })
}
