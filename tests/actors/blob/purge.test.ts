/** The stream of pieces under the blob's actor: written once, purged up to where the blob was condemned and no further. */
import { randomBytes } from "node:crypto"
import { headers, nuid } from "@nats-io/transport-node"
import { afterAll, beforeAll, expect, test } from "vitest"
import { blobKind } from "../../../actors/blob/actor.ts"
import type { BlobEvent } from "../../../actors/blob/state.ts"
import { JetStreamLog } from "../../../actors/log/event-log.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { type Client, dataOf, startCluster, type TestCluster } from "../engine/cluster.ts"

const GRACE_SECONDS = 1

let cluster: TestCluster
let client: Client
let node: Client
let log: JetStreamLog

beforeAll(async () => {
  cluster = await startCluster()
  log = new JetStreamLog(machineClock, cluster.bus.nats, { batchMax: 10, queueMax: 10 })
  await cluster.node([blobKind], { "service.blob_grace_seconds": GRACE_SECONDS })
  client = await cluster.client("edge")
  node = await cluster.client("actors")
})
afterAll(() => cluster?.stop())

/** Its sequence, or what the server says against it. */
const write = async (id: string, piece: number, more: Readonly<Record<string, string>> = {}) => {
  const all = headers()
  for (const [name, value] of Object.entries(more)) all.set(name, value)
  const reply = await cluster.bus.nats.request(subjects.blob(id, String(piece)), "bytes", {
    headers: all,
    timeout: 60_000
  })
  return reply.json<{ seq?: number; error?: { description: string } }>()
}

const batchOfOne = () => ({
  "Nats-Batch-Id": nuid.next(),
  "Nats-Batch-Sequence": "1",
  "Nats-Batch-Commit": "1",
  "Nats-Expected-Last-Subject-Sequence": "0"
})

const piecesOf = async (id: string): Promise<ReadonlyArray<string>> => {
  const { state } = await cluster.bus.manager.streams.info(streams.blobs, { subjects_filter: subjects.blobOf(id) })
  return Object.keys(state.subjects ?? {}).map((subject) => subject.split(".").at(-1) ?? "")
}

const began = async (id: string, events: ReadonlyArray<BlobEvent>): Promise<void> => {
  const commit = { v: 1 as const, id: nuid.next(), op: "test", at: Date.now(), events: [...events] }
  await log.append([{ subject: subjects.event("blob", id), expected: 0, commit }])
}

test("a piece is written once, whoever writes it and however", async () => {
  const id = randomBytes(32).toString("hex")
  expect(await write(id, 0, batchOfOne())).toMatchObject({ seq: expect.any(Number) })
  expect(await write(id, 0, batchOfOne())).toMatchObject({ error: {} })
  expect(await write(id, 0)).toMatchObject({ error: {} })
  expect(await write(id, 0, { "Nats-Rollup": "sub" })).toMatchObject({ error: {} })
  const { "Nats-Expected-Last-Subject-Sequence": _none, ...batch } = batchOfOne()
  expect(await write(id, 0, batch)).toMatchObject({ error: {} })
  const { state } = await cluster.bus.manager.streams.info(streams.blobs, { subjects_filter: subjects.blobOf(id) })
  expect(state.subjects).toEqual({ [subjects.blob(id, "0")]: 1 })
})

test("a purge that comes late takes nothing of what was written since", async () => {
  const id = randomBytes(32).toString("hex")
  const { seq: through = 0 } = await write(id, 0)
  await write(id, 1)
  await began(id, [{ type: "blob.condemned", v: 1, size: 10, through }])
  dataOf(await node.ask({ kind: "blob", actor: id, op: "blob.purge", input: { name: "purge" } }))
  expect(await piecesOf(id)).toEqual(["1"])
})

test("what is condemned is purged before it is expected again", async () => {
  const id = randomBytes(32).toString("hex")
  const { seq: through = 0 } = await write(id, 0)
  await began(id, [{ type: "blob.condemned", v: 1, size: 5, through }])
  expect(dataOf(await client.ask({ kind: "blob", actor: id, op: "blob.expect", input: { size: 5 } }))).toEqual({
    stored: false
  })
  expect(await piecesOf(id)).toEqual([])
  const { entries } = await log.read(subjects.event("blob", id), 0, 10)
  expect(entries.flatMap(({ commit }) => commit.events.map(({ type }) => type))).toEqual([
    "blob.condemned",
    "blob.collected",
    "blob.expected"
  ])
})

test("what is named is there, and need not be sent", async () => {
  const id = randomBytes(32).toString("hex")
  await began(id, [{ type: "blob.named", v: 1, size: 5, names: 1, until: 0 }])
  expect(dataOf(await client.ask({ kind: "blob", actor: id, op: "blob.expect", input: { size: 5 } }))).toEqual({
    stored: true
  })
})

test("what is written and never named is collected at its time", async () => {
  const id = randomBytes(32).toString("hex")
  dataOf(await client.ask({ kind: "blob", actor: id, op: "blob.expect", input: { size: 10 } }))
  for (const piece of [0, 1]) expect(await write(id, piece, batchOfOne())).toHaveProperty("seq")
  await waitFor(async () => (await piecesOf(id)).length === 0, { describe: "the pieces to be collected" })
  const types = async () => {
    const { entries } = await log.read(subjects.event("blob", id), 0, 10)
    return entries.flatMap(({ commit }) => commit.events.map(({ type }) => type))
  }
  await waitFor(async () => (await types()).length === 3, { describe: "the end of it in the log" })
  expect(await types()).toEqual(["blob.expected", "blob.condemned", "blob.collected"])
})
