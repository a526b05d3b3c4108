/** A restore that ends at any step leaves a mark: nothing works on half a restore, and the next restore makes it whole. */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { afterAll, beforeAll, expect, test } from "vitest"
import { restore } from "../../ops/backup/restore.ts"
import { keyPairOfSeed } from "../../schemas/signing/seed.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { buckets, restoreMark, streams } from "../../schemas/subjects.ts"
import { archiveOf, connectTo, waitFor } from "../harness/index.ts"
import { type Desk, operate, operated, refusal } from "../support/operator.ts"
import { outcome } from "../support/outcome.ts"
import { commitsIn } from "../support/commits.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, type Carried } from "../support/sponsorship.ts"

const REFUSED = "a restore is under way, or was interrupted: run hub restore again, which completes it"
const LEASES = `KV_${buckets.leases}`
const seed = randomBytes(32)

let service: TestService
let desk: Desk
let nats: NatsConnection
let manager: JetStreamManager
let folder = ""
let agent: Carried
let commits = 0

beforeAll(async () => {
  const serverKey = seed.toString("base64")
  service = await testService({ processes: true, edges: 1, actors: 1, env: { HUB_SERVER_KEY: serverKey } })
  desk = {
    natsUrl: service.system.nats.url,
    databaseUrl: service.system.postgres.url,
    serverKey,
    archive: archiveOf(service.system)
  }
  nats = await connectTo(service.system.nats.url)
  manager = await jetstreamManager(nats, { timeout: 60_000 })
  agent = await anAgent(service.edges)
  folder = join(service.system.folder, "backups", "first")
  await operated(desk, ["backup", folder])
  for (const node of [...service.system.edges, ...service.system.actors]) await node.kill()
  await restored(["--replace"])
  commits = await commitsIn(manager)
})
afterAll(async () => {
  await nats?.close()
  await service?.stop()
})

/** The lock of a process that was killed goes with its connection. */
const restored = (args: ReadonlyArray<string>): Promise<string> =>
  waitFor(() => operated(desk, ["restore", folder, "--gap", "0", ...args]), { describe: "a whole restore" })

/** From this call on, nothing reaches the streams: as if the process had been killed. */
const dyingAt = (last: string): JetStreamManager => {
  let isDead = false
  const guarded = new Proxy(manager.streams, {
    get: (of, key) => {
      const method: unknown = Reflect.get(of, key)
      if (typeof method !== "function") return method
      return (...args: ReadonlyArray<unknown>): unknown => {
        isDead ||= `${String(key)} ${String(args[0])}` === last
        if (isDead) throw new Error("killed")
        return method.apply(of, args)
      }
    }
  })
  return new Proxy(manager, { get: (of, key) => (key === "streams" ? guarded : Reflect.get(of, key)) })
}

const endedAt = async (last: string): Promise<void> => {
  const parts = {
    nats,
    manager: dyingAt(last),
    databaseUrl: desk.databaseUrl,
    serviceKey: Buffer.from(keyPairOfSeed(seed).publicKey).toString("base64"),
    limits: LIMITS,
    replicas: null,
    gap: 0,
    cards: false,
    replace: true,
    signal: new AbortController().signal,
    progress: () => undefined
  }
  await expect(restore(folder, parts)).rejects.toThrow("killed")
}

/** SIGKILL as soon as the server says that this stream begins to come. */
const killedAt = async (stream: string): Promise<void> => {
  // With the usual gap it would go on for seconds.
  const { child, ended } = await operate(desk, ["restore", folder, "--replace"])
  const told = nats.subscribe(`$JS.EVENT.ADVISORY.STREAM.RESTORE_CREATE.${stream}`, {
    callback: () => void child.kill("SIGKILL")
  })
  expect((await ended).status).toBeNull()
  await told.drain()
}

test.each<[string, () => Promise<void>]>([
  ["with its mark set", () => endedAt(`delete ${LEASES}`)],
  ["amid the deletion", () => endedAt(`delete ${streams.limits}`)],
  ["with the log begun", () => killedAt(streams.events)],
  ["between two streams", () => killedAt(streams.verified)],
  ["before the mark goes", () => endedAt(`delete ${restoreMark}`)]
])("ended %s, it leaves nothing to work on and is completed by the next", async (_step, ended) => {
  await ended()
  expect(await refusal(desk, ["migrate"])).toBe(REFUSED)
  await restored([])
  expect(await operated(desk, ["migrate"])).toContain("up to date")
  expect(await commitsIn(manager)).toBe(commits)
})

test("every command says in one line that a restore is not done", async () => {
  await endedAt(`delete ${streams.limits}`)
  const other = join(service.system.folder, "backups", "half")
  for (const words of [["backup", other], ["verify"], ["agent", "show", agent.agent.handle], ["migrate"]])
    expect([words[0], await refusal(desk, words)]).toEqual([words[0], REFUSED])
  const { status, output, errors } = await (await operate(desk, ["status"])).ended
  expect([status, output, errors]).toEqual([2, `down: ${REFUSED}\n`, ""])
})

test("nodes that are started on half a restore wait, say so, and serve the whole one", async () => {
  const [node] = service.system.actors
  const [edge] = service.system.edges
  let looks = 0
  const looked = nats.subscribe(`$JS.API.STREAM.INFO.${restoreMark}`, { callback: () => void looks++ })
  await nats.flush()
  const begun = Promise.all([node?.restart(), edge?.restart()])
  await waitFor(() => looks > 1, { describe: "the node to look again" })
  await looked.drain()
  await restored([])
  await begun
  expect(service.system.logs.text()).toContain(REFUSED)
  // What is signed in the second of the restore may have been used before it.
  const served = async () => outcome(await agent.client.call("GET", "/api/v1/me")) === "200"
  await waitFor(served, { describe: "an answer to what was signed since" })
  const next = await anAgent(service.edges)
  expect(next.agent.hx_id > agent.agent.hx_id).toBe(true)
})
