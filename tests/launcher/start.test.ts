import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, test } from "vitest"
import { isRunning } from "../../ops/launcher/proc.ts"
import { freeze, startServers, waitFor } from "../harness/index.ts"
import { endLaunchers, launch, untilGone } from "./launcher.ts"

/** Only a stop that hangs takes so long. */
const STOP_LIMIT_MS = 120_000

afterEach(endLaunchers)

async function health(url: string): Promise<unknown> {
  return (await fetch(`${url}/api/v1/health`)).json()
}

/** Nobody else of the machine reads anything below it; as root, Postgres's own user comes through to its own folder. */
function expectClosed(dataDir: string): void {
  const through = process.getuid?.() === 0 ? 0o011 : 0
  expect(statSync(dataDir).mode & 0o077).toBe(through)
  for (const name of readdirSync(dataDir))
    expect([name, statSync(join(dataDir, name)).mode & 0o077]).toEqual([name, name === "postgres" ? through : 0])
  const ofPostgres = readdirSync(join(dataDir, "postgres"))
  expect(ofPostgres).toContain("password")
  for (const name of ofPostgres)
    expect([name, statSync(join(dataDir, "postgres", name)).mode & 0o077]).toEqual([name, 0])
}

describe("a start", () => {
  test("says ready once, writes run.json, and a SIGTERM ends all with status 0", async () => {
    const launcher = await (await launch({ args: ["--edges", "2", "--actors=3"] })).ready()
    const base = `http://127.0.0.1:${launcher.port}`
    const second = `http://127.0.0.1:${launcher.port + 1}`
    expect(launcher.stdout).toBe(`ready ${base}\n`)
    expect(launcher.stderr).toContain("registration questions use public words")
    expect(launcher.stderr).toContain(`letters to people are files in ${join(launcher.dataDir, "outbox")}\n`)

    const run = launcher.run()
    const pid = expect.any(Number)
    const metrics = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/)
    expect(run).toEqual({
      nats: { pid, url: expect.stringMatching(/^nats:\/\/operator:p[0-9a-f]{36}@127\.0\.0\.1:\d+$/) },
      postgres: { pid, url: expect.stringMatching(/^postgres:\/\/hub:[^@]+@127\.0\.0\.1:\d+\/hub$/) },
      edges: [
        { pid, url: base, metrics },
        { pid, url: second, metrics }
      ],
      actors: [
        { pid, metrics },
        { pid, metrics },
        { pid, metrics }
      ],
      keeper: { pid }
    })
    expect(new Set([...run.edges, ...run.actors].map((one) => one.metrics)).size).toBe(5)
    expect(statSync(launcher.runFile).mode & 0o777).toBe(0o600)
    expectClosed(launcher.dataDir)
    const pids = launcher.pids()
    expect(new Set(pids).size).toBe(8)
    expect(pids.filter((it) => !isRunning(it))).toEqual([])
    const hosts = `127.0.0.1:${launcher.port},127.0.0.1:${launcher.port + 1}`
    expect(await health(second)).toEqual({ nats: `nats://${new URL(run.nats.url).host}`, user: "edge", hosts, base })

    const ended = await launcher.end("SIGTERM")
    expect(ended).toMatchObject({ code: 0, signal: null })
    expect(ended.afterMs).toBeLessThan(STOP_LIMIT_MS)
    expect(pids.filter(isRunning)).toEqual([])
    expect(existsSync(launcher.runFile)).toBe(false)
  })

  test("a second start on the same data keeps the servers' addresses and makes nothing anew", async () => {
    const first = await (await launch()).ready()
    const before = first.run()
    await first.end("SIGINT")
    const second = await (await launch({ dataDir: first.dataDir, port: first.port })).ready()
    expect(first.stderr).toContain("initialising Postgres")
    expect(second.stderr).not.toContain("initialising")
    expect(new URL(second.run().nats.url).host).toBe(new URL(before.nats.url).host)
    expect(second.run().postgres.url).toBe(before.postgres.url)
  })

  test("servers named by the environment are used and left alone", async () => {
    const servers = await startServers()
    try {
      const env = { HUB_NATS_URL: servers.nats.url, HUB_DATABASE_URL: servers.postgres.url }
      const launcher = await (await launch({ env })).ready()
      expect(launcher.run()).toMatchObject({
        nats: { pid: null, url: servers.nats.url },
        postgres: { pid: null, url: servers.postgres.url }
      })
      expect((await launcher.end("SIGTERM")).code).toBe(0)
      expect([servers.nats.pid, servers.postgres.pid].every((pid) => pid !== null && isRunning(pid))).toBe(true)
    } finally {
      await servers.stop()
    }
  })

  test("a SIGTERM half-way through is obeyed with status 0", async () => {
    const launcher = await launch({ env: { MISBEHAVE: "edge is never ready" } })
    await waitFor(() => launcher.run().edges[0]?.pid, { describe: "an edge that is starting" })
    const pids = launcher.pids()
    const ended = await launcher.end("SIGTERM")
    expect(ended).toMatchObject({ code: 0, signal: null })
    expect(launcher.stdout).toBe("")
    expect(pids.filter(isRunning)).toEqual([])
  })

  test("nodes that ignore SIGTERM do not hold up the end", async () => {
    const launcher = await (await launch({ env: { MISBEHAVE: "edge ignores SIGTERM" } })).ready()
    const pids = launcher.pids()
    const ended = await launcher.end("SIGTERM")
    expect(ended).toMatchObject({ code: 0, signal: null })
    expect(ended.afterMs).toBeLessThan(STOP_LIMIT_MS)
    expect(pids.filter(isRunning)).toEqual([])
  })
})

describe("ports for scrapers", () => {
  test.each([
    [
      "from the one that is named, edges first",
      { HUB_METRICS_PORT: "14000" },
      ["http://127.0.0.1:14000/metrics", "http://127.0.0.1:14001/metrics"]
    ],
    ["none where 0 is said", { HUB_METRICS_PORT: "0" }, [null, null]],
    [
      "none in production, unless one is named",
      { HUB_ENV: "production", HUB_SERVER_KEY: Buffer.alloc(32, 1).toString("base64") },
      [null, null]
    ]
  ])("%s", async (_what, env, wanted) => {
    const launcher = await (await launch({ env })).ready()
    const { edges, actors } = launcher.run()
    expect([edges[0]?.metrics, actors[0]?.metrics]).toEqual(wanted)
  })

  test("a number that leaves no room is refused", async () => {
    const launcher = await launch({ env: { HUB_METRICS_PORT: "65535" } })
    const ended = await launcher.ended
    expect([ended.code, launcher.stderr]).toEqual([
      1,
      expect.stringContaining("HUB_METRICS_PORT leaves no room for 2 processes")
    ])
  })
})

describe("a death", () => {
  test.each(["edge 1", "actor 2", "nats", "postgres"])("of %s is named and mended in place", async (role) => {
    const launcher = await (await launch({ args: ["--actors", "2"] })).ready()
    const entry = () => {
      const { edges, actors, nats, postgres } = launcher.run()
      return { "edge 1": edges[0], "actor 2": actors[1], nats, postgres }[role]
    }
    const before = entry()
    const pid = before?.pid ?? 0
    expect(isRunning(pid)).toBe(true)
    process.kill(pid, "SIGKILL")
    await waitFor(() => /runs again/.test(launcher.stderr), { describe: `the restart of ${role}` })
    expect(launcher.stderr).toContain(`${role} (pid ${pid}) died, signal SIGKILL\n`)
    const after = entry()
    expect(after).toEqual({ ...before, pid: expect.any(Number) })
    expect(after?.pid).not.toBe(pid)
    expect(launcher.stderr).toContain(`${role} runs again (pid ${after?.pid})\n`)
    expect(launcher.pids().filter((it) => !isRunning(it))).toEqual([])
    await waitFor(() => health(launcher.run().edges[0]?.url ?? ""), { describe: "a healthy edge" })
  })

  test("of the launcher itself leaves nothing, and the next start takes over", async () => {
    const launcher = await (await launch()).ready()
    const pids = launcher.pids()
    await launcher.end("SIGKILL")
    await untilGone(pids)
    expect(existsSync(launcher.runFile)).toBe(true)
    const next = await (await launch({ dataDir: launcher.dataDir, port: launcher.port })).ready()
    expect((await next.end("SIGTERM")).code).toBe(0)
  })

  test("of a launcher whose nodes were frozen: the next start ends them first", async () => {
    const launcher = await (await launch()).ready()
    const run = launcher.run()
    const frozen = [run.edges[0]?.pid ?? 0, run.actors[0]?.pid ?? 0, run.nats.pid ?? 0]
    for (const pid of frozen) freeze(pid)
    await launcher.end("SIGKILL")
    expect(frozen.filter((pid) => !isRunning(pid))).toEqual([])
    const next = await (await launch({ dataDir: launcher.dataDir, port: launcher.port })).ready()
    expect(frozen.filter(isRunning)).toEqual([])
    expect(new URL(next.run().nats.url).host).toBe(new URL(run.nats.url).host)
  })
})
