/**
 * The whole service in containers, as docker-compose.yml describes it: three nats-servers, every role under its own
 * user, edges behind a proxy. It comes up in production's configuration, then every container is restarted under load.
 */
import { chmod, mkdir } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { clusterOf } from "../../ops/status/cluster.ts"
import type { Service } from "../../ops/cli/connection.ts"
import { type Load, loadOf } from "../chaos/load.ts"
import { expectAppliedOnce, expectNoFault } from "../chaos/verdict.ts"
import { waitFor } from "../harness/index.ts"
import { isCampaign } from "../support/rounds.ts"
import { seeded } from "../support/seed.ts"
import { type Cluster, makeCluster } from "./cluster.ts"
import { type Engine, startEngine } from "./engine.ts"

/** A production cluster and all its programs share the machine with them: enough to notice a pause, and no more. */
const AGENTS = 4
const MAKING_MS = 3_600_000
const RESTARTING_MS = 3_600_000
const NATS = ["nats-1", "nats-2", "nats-3"]

let engine: Engine
let cluster: Cluster

beforeAll(async () => {
  engine = await startEngine()
  cluster = await makeCluster(engine)
}, MAKING_MS)
afterAll(async () => {
  try {
    await cluster?.stop()
  } finally {
    await engine?.stop()
  }
}, MAKING_MS)

/** A campaign restarts all, one after the other. `npm test` restarts one of each kind, and a server beside the roles. */
const RESTARTS: ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>> = isCampaign()
  ? [[NATS], [["postgres"]], [["queries", "webhooks", "keeper"]], [["proxy"]]]
  : [[NATS.slice(0, 1), ["queries", "webhooks", "keeper", "proxy"]], [["postgres"]]]
const RECREATED = isCampaign() ? [["actors", "edge"]] : [["actors"], ["edge"]]
/** More than the file says: scaled by hand. */
const ACTORS = 3

interface Status {
  readonly nodes: ReadonlyArray<unknown>
  readonly unowned_shards: ReadonlyArray<number>
  readonly streams: ReadonlyArray<{ readonly name: string; readonly replicas: number }>
}

describe("in production's configuration", () => {
  test("it answers through the proxy, and every stream is on all three servers", async () => {
    expect((await fetch(`${cluster.url}/api/v1`)).status).toBe(200)
    const status = await waitFor(
      async () => {
        const seen = JSON.parse(
          await cluster.compose(["run", "--rm", "--no-deps", "operator", "status", "--json"])
        ) as Status
        return seen.nodes.length === 1 && seen.unowned_shards.length === 0 ? seen : null
      },
      { describe: "a node that owns all shards" }
    )
    expect(new Set(status.streams.map((stream) => stream.replicas))).toEqual(new Set([3]))
  })

  test("no role wants more of the bus than it may", async () => {
    const logs = await cluster.compose(["logs", "--no-color", "edge", "actors", "queries", "webhooks"])
    expect(logs).not.toMatch(/permission/i)
    expect(logs.split("\n").filter((line) => line.includes(`"level":"error"`))).toEqual([])
  })

  test("keys of mail and of vaults are where they are used, and nowhere else", async () => {
    const { services } = JSON.parse(await cluster.compose(["--profile", "*", "config", "--format", "json"])) as {
      services: Record<string, { environment?: Record<string, string> }>
    }
    const holding = (name: string) =>
      Object.keys(services)
        .filter((service) => services[service]?.environment?.[name] !== undefined)
        .toSorted()
    expect(holding("HUB_MAIL_KEY")).toEqual(["actors", "mail", "operator"])
    expect(holding("HUB_VAULT_KEY")).toEqual(["keeper"])
  })

  test("only the proxy is published, and what the roles hold is what they need", async () => {
    const { services, networks } = JSON.parse(await cluster.compose(["config", "--format", "json"])) as {
      services: Record<
        string,
        { ports?: unknown; environment?: Record<string, string>; networks?: Record<string, unknown> }
      >
      networks: Record<string, { internal?: boolean }>
    }
    expect(Object.keys(services).filter((name) => services[name]?.ports !== undefined)).toEqual(["proxy"])
    const holding = (name: string) =>
      Object.keys(services).filter((service) => services[service]?.environment?.[name] !== undefined)
    expect(holding("HUB_SERVER_KEY")).toEqual(["actors"])
    const networksOf = (name: string) => Object.keys(services[name]?.networks ?? {}).toSorted()
    expect([networksOf("edge"), networksOf("proxy")]).toEqual([
      ["bus", "front"],
      ["entry", "front"]
    ])
    expect(
      Object.keys(networks)
        .filter((name) => networks[name]?.internal !== true)
        .toSorted()
    ).toEqual(["entry", "world"])
    expect(holding("HUB_DATABASE_URL").toSorted()).toEqual(["actors", "console", "migrate", "queries"])
    expect(Object.keys(services["webhooks"]?.networks ?? {}).toSorted()).toEqual(["bus", "world"])
  })
})

describe("under load", () => {
  let view: Service
  let load: Load

  beforeAll(async () => {
    await cluster.open()
    view = await waitFor(() => cluster.view(), { describe: "the window" })
    load = await loadOf(AGENTS, [cluster.url], seeded("cluster"), { losesConnections: true })
    load.start()
    await waitFor(() => load.answeredSince(0, 10), { describe: "answers before the restarts" })
  }, MAKING_MS)
  afterAll(async () => {
    await load?.stop()
    await view?.close()
  })

  /** Restarts groups of services at the same time, the services of a group one after the other. */
  const restarted = async (groups: ReadonlyArray<ReadonlyArray<string>>, recreate = false) => {
    const [begin, since] = [performance.now(), Date.now()]
    const said = await Promise.all(groups.map((services) => cluster.rollingRestart(services, recreate)))
    const back = performance.now()
    await waitFor(() => load.answeredSince(back, 10), { describe: `answers after ${groups.join(", ")}` })
    const silence = load.longestSilence(begin, performance.now())
    console.log(
      `${said.join("").trim().split("\n").join(", ")}: ${Math.round((back - begin) / 1000)} s, ` +
        `longest silence ${Math.round(silence.ms)} ms, ${load.retried} retries so far`
    )
    // 137: it did not end by itself in the time that it had, and what was under way was lost.
    expect(await cluster.ended(since)).not.toMatch(/ 137$/m)
    expectNoFault(load)
  }

  test.each(RESTARTS.map((groups) => ({ groups, what: groups.map((group) => group.join(", ")).join(" beside ") })))(
    "a rolling restart of $what",
    ({ groups }) => restarted(groups),
    RESTARTING_MS
  )

  test(
    "a nats-server that is killed is an election, and no more: the other two answer before it is back",
    async () => {
      const killedAt = performance.now()
      await cluster.compose(["kill", "--signal", "SIGKILL", "nats-2"])
      await waitFor(() => load.answeredSince(killedAt, 10), { describe: "answers without nats-2" })
      const silence = load.longestSilence(killedAt, performance.now())
      await cluster.compose(["start", "nats-2"])
      await waitFor(
        async () => (await cluster.compose(["ps", "--format", "{{.Status}}", "nats-2"])).includes("(healthy)"),
        { describe: "nats-2 to be well" }
      )
      const back = performance.now()
      await waitFor(() => load.answeredSince(back, 10), { describe: "answers with nats-2" })
      console.log(`nats-2 killed: longest silence ${Math.round(silence.ms)} ms, ${load.retried} retries so far`)
      expectNoFault(load)
    },
    RESTARTING_MS
  )

  test(
    "edges and actors made anew, as for a new version, and as many as before",
    async () => {
      const up = ["up", "--detach", "--no-deps", "--no-recreate", "--scale", `actors=${ACTORS}`, "actors"]
      await cluster.compose(up)
      const containers = async (service: string) =>
        (await cluster.compose(["ps", "--quiet", service])).trim().split("\n")
      const before = { actors: await containers("actors"), edge: await containers("edge") }
      expect(before.actors).toHaveLength(ACTORS)
      await restarted(RECREATED, true)
      for (const service of ["actors", "edge"] as const) {
        const after = await containers(service)
        expect(after).toHaveLength(before[service].length)
        expect(after.filter((one) => before[service].includes(one))).toEqual([])
      }
    },
    RESTARTING_MS
  )

  test(
    "every acknowledged write stands in the log once, and tables and snapshots are its fold",
    async () => {
      await load.stop()
      await expectAppliedOnce(load, view)
      // A node that was late with a beat loses its session, and begins another.
      await waitFor(
        async () => {
          const { nodes, unowned_shards } = await clusterOf(view)
          return nodes.length === ACTORS && unowned_shards.length === 0
        },
        { describe: `${ACTORS} nodes that own all shards` }
      )
      expect(await cluster.compose(["run", "--rm", "--no-deps", "operator", "verify"])).toMatch(/\nverified in /)
    },
    RESTARTING_MS
  )

  test(
    "a backup is made beside it",
    async () => {
      const folder = join(engine.folder, "backups")
      await mkdir(folder)
      // The image's user is not the one that made the folder.
      await chmod(folder, 0o777)
      const operator = ["run", "--rm", "--no-deps", "--volume", `${folder}:/backups`, "operator", "backup"]
      await cluster.compose([...operator, "/backups/today"])
      expect(await cluster.compose([...operator, "--check", "/backups/today"])).toMatch(/ is whole: \d+ streams/)
    },
    RESTARTING_MS
  )
})
