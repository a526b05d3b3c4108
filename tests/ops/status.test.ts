/** `hub status` tells the truth in an outage: its first line and its exit status follow what is wrong, and it ends. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import type { Cluster, NodeRow, StreamRow } from "../../ops/status/cluster.ts"
import { exitStatusOf, verdictOf } from "../../ops/status/verdict.ts"
import { SHARD_COUNT, streams } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { hubEnded } from "../support/hub.ts"
import { type TestService, testService } from "../support/service.ts"

describe("the verdict", () => {
  const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard)
  const node: NodeRow = {
    session: "one",
    name: "hub-actors",
    host: "machine",
    pid: 1,
    roles: ["actors"],
    started_at: "2026-01-01T00:00:00.000Z",
    resident: 1,
    shards,
    answers: true
  }
  const stream = (name: string): StreamRow => ({
    name,
    messages: 1,
    bytes: 1,
    last_seq: 1,
    replicas: 3,
    leader: "nats-1",
    offline: [],
    lagging: [],
    consumers: []
  })
  const edge: NonNullable<Cluster["services"]>[number] = {
    name: "hub-edge",
    id: "1",
    version: "1",
    started: "",
    host: "machine",
    pid: 1,
    roles: "edge",
    metrics_port: null,
    requests: 0,
    errors: 0,
    average_ms: 0
  }
  const well: Cluster = {
    nodes: [node],
    unowned_shards: [],
    services: [edge],
    streams: Object.values(streams).map(stream),
    read_models: [{ name: "agent", version: 1, watermark: 1, lag: 0, faults: 0, rebuilt_to: null }],
    reactions: [{ name: "agent", watermark: 1, lag: 0, parked: 0, faults: 0 }],
    paused_webhooks: [],
    checks: { db: { status: "pass", observed: 1, unit: "sequence", time: "", message: null } }
  }
  const but = (part: Partial<Cluster>): Cluster => ({ ...well, ...part })
  const changed = (name: string, part: Partial<StreamRow>) =>
    but({ streams: well.streams.map((one) => (one.name === name ? { ...one, ...part } : one)) })
  const silent = { messages: null, replicas: null, leader: null }
  const failing = { status: "warn", observed: 9, unit: "s", time: "", message: "mail waits" } as const

  test("on a well cluster is healthy, and 0", () => {
    expect(verdictOf(well)).toEqual({ status: "healthy", problems: [] })
    expect(exitStatusOf("healthy")).toBe(0)
  })

  test.each<[string, Cluster, string, RegExp]>([
    ["no node", but({ nodes: [], unowned_shards: shards }), "down", /^no actor node runs$/],
    ["frozen nodes", but({ nodes: [{ ...node, answers: false }] }), "down", /^no actor node answers/],
    [
      "one frozen node of two",
      but({ nodes: [node, { ...node, session: "two", host: "other", answers: false }] }),
      "degraded",
      /^actor node two on other does not answer; it holds 64 of 64 shards$/
    ],
    ["no edge", but({ services: [] }), "down", /^no edge answers$/],
    ["a listing that failed", but({ services: null }), "degraded", /^not seen: which processes answer$/],
    [
      "lags that nobody told",
      but({ read_models: well.read_models?.map((one) => ({ ...one, lag: null })) ?? null }),
      "degraded",
      /^not seen: how far agent are$/
    ],
    ["a silent log", changed(streams.events, silent), "down", /^the log \(HUB_EVENTS\) does not answer$/],
    [
      "a log without a leader",
      changed(streams.events, { leader: null }),
      "down",
      /^the stream HUB_EVENTS has no leader$/
    ],
    ["another silent stream", changed(streams.mail, silent), "degraded", /^the stream HUB_MAIL does not answer$/],
    ["every shard without an owner", but({ unowned_shards: shards }), "down", /^64 shards have no owner: 0-63$/],
    ["a shard without an owner", but({ unowned_shards: [3] }), "degraded", /^a shard has no owner: 3$/],
    [
      "a lost replica",
      changed(streams.events, { offline: ["nats-2"] }),
      "degraded",
      /^nats-server nats-2 is offline: 1 of /
    ],
    [
      "a late replica",
      changed(streams.mail, { lagging: ["nats-3"] }),
      "degraded",
      /^the replicas of HUB_MAIL at nats-3/
    ],
    ["paused webhooks that were not seen", but({ paused_webhooks: null }), "degraded", /^not seen: which webhooks are/],
    ["no Postgres", but({ read_models: null }), "degraded", /^Postgres does not answer/],
    [
      "commits passed over",
      but({ read_models: well.read_models?.map((one) => ({ ...one, faults: 2 })) ?? null }),
      "degraded",
      /^the read model agent passed over 2 commits/
    ],
    [
      "reactions that wait",
      but({ reactions: well.reactions.map((one) => ({ ...one, parked: 1 })) }),
      "degraded",
      /^agent: 1 reaction waits for an actor$/
    ],
    [
      "reactions that were not seen",
      but({ reactions: well.reactions.map((one) => ({ ...one, parked: null })) }),
      "degraded",
      /^not seen: how far agent are$/
    ],
    ["nobody who answers queries", but({ checks: null }), "degraded", /^no process answers queries$/],
    ["a check", but({ checks: { mail: failing } }), "degraded", /^check mail: mail waits$/]
  ])("on %s", (_, cluster, status, says) => {
    const verdict = verdictOf(cluster)
    expect(verdict.status).toBe(status)
    expect(verdict.problems[0]?.says).toMatch(says)
    expect(exitStatusOf(verdict.status)).toBe(status === "down" ? 2 : 1)
  })

  test("names what is down before what is degraded", () => {
    const { problems } = verdictOf(but({ read_models: null, services: [] }))
    expect(problems.map(({ status }) => status)).toEqual(["down", "degraded"])
  })
})

describe("a system", () => {
  let service: TestService

  beforeAll(async () => {
    service = await testService({ processes: true, actors: 2, edges: 2 })
  })
  afterAll(() => service?.stop())

  const status = (...args: ReadonlyArray<string>) => hubEnded(service.system, ["status", ...args])
  const first = ({ stdout }: { readonly stdout: string }): string => stdout.split("\n")[0] ?? ""
  const seen = (code: number, line: RegExp) =>
    waitFor(
      async () => {
        const told = await status()
        if (told.status === code && line.test(first(told))) return told
        throw new Error(`${told.status} ${told.stdout}`)
      },
      { describe: `a status of ${code} that begins with ${line.source}` }
    )

  afterEach(() => {
    const { nats, postgres, edges, actors } = service.system
    for (const one of [nats, postgres, ...edges, ...actors]) one.thaw()
  })

  test("that is well is healthy in one line, and makes no consumer", async () => {
    await seen(0, /^healthy$/)
    const { manager } = service.view
    const consumers = async () => {
      const { streams: all } = await manager.getAccountInfo()
      const counts = []
      for await (const { state } of manager.streams.list()) counts.push(state.consumer_count)
      return [all, counts]
    }
    const before = await consumers()
    const { stdout } = await seen(0, /^healthy$/)
    expect(await consumers()).toEqual(before)
    expect(stdout).toContain("2 of 2 answer  64 of 64 shards owned")
    const all = await status("--all")
    expect(all.stdout).toContain(`pid ${service.system.actors[0]?.pid}  actors,`)
    const { verdict } = JSON.parse((await status("--json")).stdout) as { verdict: unknown }
    expect(verdict).toEqual({ status: "healthy", problems: [] })
  })

  test("with both nodes frozen is down", async () => {
    for (const node of service.system.actors) node.freeze()
    await seen(2, /^down: no actor node (?:answers|runs)/)
  })

  test("that was thawed is healthy again", () => seen(0, /^healthy$/))

  test("with Postgres frozen is degraded, and says so within its bounds", async () => {
    service.system.postgres.freeze()
    const { stdout } = await seen(1, /^degraded: Postgres does not answer/)
    expect(stdout).toContain("read models  Postgres does not answer")
  })

  test("without any process is down, without a stack", async () => {
    await Promise.all([...service.system.edges, ...service.system.actors].map((node) => node.kill()))
    const { stdout } = await seen(2, /^down: no actor node runs/)
    expect(stdout).toContain("- no edge answers")
    expect(stdout).not.toMatch(/Error|\n\s+at /)
  })

  test("without a bus is down", async () => {
    service.system.nats.freeze()
    expect(first(await status())).toMatch(/^down: .*(?:nats-server does not answer|did not answer|timeout)/)
    service.system.nats.thaw()
    await service.system.nats.kill()
    const told = await status("--json")
    expect(told.status).toBe(2)
    expect(JSON.parse(told.stdout)).toMatchObject({ verdict: { status: "down" } })
    await service.system.nats.restart()
  })
})
