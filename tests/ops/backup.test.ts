/**
 * The drill: a service under writes is backed up, goes on, loses the disk of its JetStream, and is restored. What was
 * acknowledged before the backup began is there, and nothing is given or taken a second time.
 */
import { randomBytes } from "node:crypto"
import { readdir, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, type Exchange, send } from "../support/http.ts"
import { newIdentity } from "../support/identity.ts"
import { type Desk, operate, operated, refusal } from "../support/operator.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { answering, healthy, type Receiver, startReceiver } from "../support/receiver.ts"
import { register, type Registered } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"
import { setRecovery } from "../support/rotation.ts"

const WRITERS = 8
const SUSPENDED_SECONDS = 30
const RETRY_SECONDS = 6
const LIMITS = { "webhook.retry_seconds.1": RETRY_SECONDS, "webhook.retry_jitter_percent": 0, "service.snapshot_every_commits": 20 }

interface Writer {
  readonly client: AgentClient
  readonly agent: Registered
  sent: number
  acknowledged: number
}

let service: TestService
let desk: Desk
let receiver: Receiver
let folder = ""
const numbers = new Set<string>()

const edge = (): string => service.edges[0] ?? ""
const numberOf = (hxId: string): number => Number(hxId.slice("HX-".length))

async function newAgent(more: Readonly<Record<string, unknown>> = {}): Promise<Writer> {
  const client = new AgentClient({ edge })
  const agent = await register(client, { edge: edge(), more })
  expect(numbers.has(agent.hx_id)).toBe(false)
  numbers.add(agent.hx_id)
  return { client, agent, sent: 0, acknowledged: 0 }
}

async function write(writer: Writer): Promise<void> {
  const text = String(++writer.sent)
  expect(outcome(await writer.client.call("PATCH", "/api/v1/me", { body: { description: text } }))).toBe("200")
  writer.acknowledged = Number(text)
}

const profile = async ({ client }: Writer): Promise<Record<string, unknown>> => dataOf<Record<string, unknown>>(await client.call("GET", "/api/v1/me"))

/** Writes and registers until it is told to end. */
function traffic(writers: ReadonlyArray<Writer>): () => Promise<void> {
  const over = new AbortController()
  let registered = 0
  const writing = writers.map(async (writer) => {
    while (!over.signal.aborted) await write(writer)
  })
  const registering = (async () => {
    for (; !over.signal.aborted; registered++) await newAgent()
  })()
  return async () => {
    over.abort()
    await Promise.all([...writing, registering])
    expect(registered).toBeGreaterThan(0)
  }
}

async function stopNodes(): Promise<void> {
  await Promise.all([...service.system.edges, ...service.system.actors].map((node) => node.kill()))
}

async function startNodes(): Promise<void> {
  await Promise.all(service.system.actors.map((node) => node.restart()))
  await Promise.all(service.system.edges.map((node) => node.restart()))
}

/** The disk of JetStream is gone: an empty server comes back at its place. */
async function loseDisk(): Promise<void> {
  await service.system.nats.kill()
  await rm(join(service.system.folder, "nats", "jetstream"), { recursive: true })
  await service.system.nats.restart()
}

async function verified(): Promise<string> {
  const { status, output, errors } = await operate(desk, ["verify"]).ended
  if (status !== 0) throw new Error(errors + output)
  return output
}

beforeAll(async () => {
  const serverKey = randomBytes(32).toString("base64")
  service = await testService({ actors: 2, limits: LIMITS, env: { HUB_SERVER_KEY: serverKey } })
  desk = { natsUrl: service.system.nats.url, databaseUrl: service.system.postgres.url, serverKey }
  receiver = await startReceiver()
  folder = join(service.system.folder, "backups", "first")
})
afterAll(async () => {
  await receiver?.stop()
  await service?.stop()
})

describe("the drill", () => {
  const writers: Array<Writer> = []
  let keyed: { readonly body: Record<string, unknown>; readonly first: Answer; readonly writer: Writer }
  let used: Exchange
  let waiting: Writer
  let suspended: Writer
  let until = 0
  let standing: ReadonlyArray<{ readonly writer: Writer; readonly acknowledged: number }> = []
  let highest = 0

  test("a backup under writes", async () => {
    for (let count = 0; count < WRITERS; count++) writers.push(await newAgent())
    receiver.behave(answering(500))
    waiting = await newAgent({ webhook_url: `${receiver.url}/in` })
    suspended = await newAgent()
    const end = traffic(writers)
    await waitFor(() => writers.every(({ acknowledged }) => acknowledged > 20))
    const quiet = await newAgent()
    keyed = { writer: quiet, body: { description: "Under a key." }, first: await quiet.client.call("PATCH", "/api/v1/me", { body: { description: "Under a key." }, idempotencyKey: "a-key-of-the-drill" }) }
    expect(outcome(keyed.first)).toBe("200")
    await quiet.client.call("PATCH", "/api/v1/me", { body: { name: "Quiet" } })
    used = quiet.client.last as Exchange
    // A delivery that failed once and waits for its timer, and a suspension that waits for its own.
    expect(outcome(await setRecovery(waiting.client))).toBe("200")
    await waitFor(() => receiver.received.length === 1, { describe: "the first attempt" })
    until = Date.now() + SUSPENDED_SECONDS * 1000
    await operated(desk, ["agent", "suspend", suspended.agent.handle, "--until", new Date(until).toISOString()])
    await waitFor(async () => dataOf<ReadonlyArray<{ attempts: number; status: string }>>(await waiting.client.call("GET", "/api/v1/me/webhook/deliveries"))[0]?.attempts === 1)
    standing = writers.map((writer) => ({ writer, acknowledged: writer.acknowledged }))
    const said = await operated(desk, ["backup", folder])
    // Its timer has not fired in what is restored.
    expect(receiver.received.length).toBe(1)
    expect(said).toMatch(/first: \d+ streams, \d+ commits up to #\d+ of 20[\d:.TZ-]+, [\d.]+ MB, in [\d.]+ s\n$/)
    const count = writers[0]?.acknowledged ?? 0
    await waitFor(() => (writers[0]?.acknowledged ?? 0) > count + 20)
    await end()
    for (let after = 0; after < 3; after++) await newAgent()
    await waitFor(() => receiver.received.length === 2, { describe: "the second attempt, which will be forgotten" })
    highest = Math.max(...[...numbers].map(numberOf))
    expect(await operated(desk, ["backup", "--check", folder])).toMatch(/first is whole: \d+ streams, /)
  })

  test("is for its owner alone, and its folder is taken", async () => {
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
    expect(await readdir(join(folder, ".."))).toEqual(["first"])
    expect(await refusal(desk, ["backup", folder])).toBe(`${folder} already holds something: name a new folder`)
  })

  test("is not restored while a node is alive, nor over what is there", async () => {
    expect(await refusal(desk, ["restore", folder, "--replace"])).toBe("2 actor nodes are alive: stop every actor node and edge first")
    await stopNodes()
    expect(await refusal(desk, ["restore", folder])).toMatch(/^JetStream holds HUB_COUNTERS, .*: restore into an empty one, or give --replace to have them deleted$/)
    await loseDisk()
    expect(await refusal(desk, ["restore", folder])).toBe("Postgres holds read models of another log: name an empty database, or give --replace to have them deleted")
  })

  test("is restored, and the nodes start on it", async () => {
    expect(await operated(desk, ["restore", folder, "--replace"])).toMatch(/restored in [\d.]+ s, \d+ commits up to #\d+\nthe log goes on at #\d+, each counter 10000 numbers further; Postgres is empty\n/)
    receiver.behave(healthy)
    await startNodes()
    await waitFor(() => profile(keyed.writer), { describe: "the service to answer" })
  })

  test("every write that was acknowledged before is there, and none that was never made", async () => {
    for (const { writer, acknowledged } of standing) {
      const { description, hx_id, handle } = await profile(writer)
      expect(Number(description)).toBeGreaterThanOrEqual(acknowledged)
      expect(Number(description)).toBeLessThanOrEqual(writer.sent)
      expect({ hx_id, handle }).toEqual({ hx_id: writer.agent.hx_id, handle: writer.agent.handle })
    }
  })

  test("a nonce that was used before is refused, and an answer under a key is the first one", async () => {
    expect(outcome(await send(used))).toBe("401 auth_nonce_reused")
    const again = await keyed.writer.client.call("PATCH", "/api/v1/me", { body: keyed.body, idempotencyKey: "a-key-of-the-drill" })
    expect(again.json.data).toEqual(keyed.first.json.data)
    expect((await profile(keyed.writer))["name"]).toBe("Quiet")
  })

  test("a number that was ever given is not given again, and the handles that are left are taken", async () => {
    const fresh = await newAgent()
    expect(numberOf(fresh.agent.hx_id)).toBeGreaterThan(highest)
    await expect(register(new AgentClient({ edge }), { edge: edge(), handle: keyed.writer.agent.handle })).rejects.toThrow("handle_taken")
  })

  test("the delivery that waited for its timer is made, and new ones are", async () => {
    const status = async () => dataOf<ReadonlyArray<{ status: string }>>(await waiting.client.call("GET", "/api/v1/me/webhook/deliveries")).at(-1)?.status
    await waitFor(async () => (await status()) === "delivered", { describe: "the delivery to be made" })
    const [first, , again] = receiver.received
    expect(again?.id).toBe(first?.id)
    expect(outcome(await waiting.client.call("PUT", "/api/v1/me/recovery", { body: { recovery_public_key: newIdentity().publicKey } }))).toBe("200")
    await waitFor(() => receiver.received.some(({ id }) => id !== first?.id), { describe: "a new delivery" })
  })

  test("the suspension ends at its time", async () => {
    const status = async () => (await profile(suspended))["status"]
    // Far enough from it, so that a slow machine does not come too late.
    if (Date.now() < until - 5000) expect(await status()).toBe("suspended")
    await waitFor(async () => (await status()) === "active", { describe: "the end of the suspension" })
    expect(Date.now()).toBeGreaterThanOrEqual(until)
  })

  test("verify finds all equal", async () => {
    expect(await waitFor(verified, { describe: "read models as the log makes them" })).toMatch(/verified in [\d.]+ s\n$/)
    await Promise.all(writers.map(write))
  })
})
