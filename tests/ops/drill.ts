/** A service under writes that may lose its disk. */
import { randomBytes } from "node:crypto"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { expect } from "vitest"
import { AgentClient } from "../support/client.ts"
import { breath } from "../support/breath.ts"
import { type Desk, operate } from "../support/operator.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { type Receiver, startReceiver } from "../support/receiver.ts"
import { register, type Registered } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"
import { archiveOf } from "../harness/index.ts"

const RETRIES = Object.fromEntries(
  [6, 12, 24, 48, 96, 192].map((seconds, index) => [`webhook.retry_seconds.${index + 1}`, seconds])
)

/** A request of before the backup is sent again after the restore: it must not be too old by then on any machine. */
const OLD_SECONDS = 3000

const LIMITS = {
  ...RETRIES,
  "webhook.retry_jitter_percent": 0,
  "service.snapshot_every_commits": 20,
  "authentication.timestamp_skew_seconds": OLD_SECONDS,
  "authentication.nonce_reuse_seconds": 2 * OLD_SECONDS
}

export interface Writer {
  readonly client: AgentClient
  readonly agent: Registered
  sent: number
  acknowledged: number
}

let service: TestService
export let desk: Desk
export let receiver: Receiver
export let folder = ""
export const numbers = new Set<string>()
export const edge = (): string => service.edges[0] ?? ""
export const numberOf = (hxId: string): number => Number(hxId.slice("HX-".length))

export async function newAgent(more: Readonly<Record<string, unknown>> = {}): Promise<Writer> {
  const client = new AgentClient({ edge })
  const agent = await register(client, { edge: edge(), more })
  expect(numbers.has(agent.hx_id)).toBe(false)
  numbers.add(agent.hx_id)
  return { client, agent, sent: 0, acknowledged: 0 }
}

export async function write(writer: Writer): Promise<void> {
  const text = String(++writer.sent)
  expect(
    outcome(
      await writer.client.retrying("PATCH", "/api/v1/me", {
        body: { description: text },
        idempotencyKey: `write ${text}`
      })
    )
  ).toBe("200")
  writer.acknowledged = Number(text)
}

export const profile = async ({ client }: Writer): Promise<Record<string, unknown>> =>
  dataOf<Record<string, unknown>>(await client.retrying("GET", "/api/v1/me"))

interface Delivery {
  readonly id: number
  readonly attempts: number
  readonly status: string
}

export const deliveries = async ({ client }: Writer): Promise<ReadonlyArray<Delivery>> =>
  dataOf<ReadonlyArray<Delivery>>(await client.retrying("GET", "/api/v1/me/webhook/deliveries"))

/** Writes and registers until it is told to end. */
export function traffic(writers: ReadonlyArray<Writer>): () => Promise<void> {
  const over = new AbortController()
  let registered = 0
  const writing = writers.map(async (writer) => {
    while (!over.signal.aborted) {
      await write(writer)
      await breath()
    }
  })
  const registering = (async () => {
    for (; !over.signal.aborted; registered++) {
      await newAgent()
      await breath()
    }
  })()
  return async () => {
    over.abort()
    await Promise.all([...writing, registering])
    expect(registered).toBeGreaterThan(0)
  }
}

export async function stopNodes(): Promise<void> {
  await Promise.all([...service.system.edges, ...service.system.actors].map((node) => node.kill()))
}

export async function startNodes(): Promise<void> {
  await Promise.all(service.system.actors.map((node) => node.restart()))
  await Promise.all(service.system.edges.map((node) => node.restart()))
}

/** The disk of JetStream is gone: an empty server comes back at its place. */
export async function loseDisk(): Promise<void> {
  await service.system.nats.kill()
  await rm(join(service.system.folder, "nats", "jetstream"), { recursive: true })
  await service.system.nats.restart()
}

export async function verified(): Promise<string> {
  const { status, output, errors } = await (await operate(desk, ["verify"])).ended
  if (status !== 0) throw new Error(errors + output)
  return output
}

export const openDrill = async (): Promise<void> => {
  const serverKey = randomBytes(32).toString("base64")
  service = await testService({ processes: true, actors: 2, limits: LIMITS, env: { HUB_SERVER_KEY: serverKey } })
  desk = {
    natsUrl: service.system.nats.url,
    databaseUrl: service.system.postgres.url,
    serverKey,
    archive: archiveOf(service.system)
  }
  receiver = await startReceiver()
  folder = join(service.system.folder, "backups", "first")
}

export const closeDrill = async (): Promise<void> => {
  await receiver?.stop()
  await service?.stop()
}
