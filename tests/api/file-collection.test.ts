/**
 * What is stored and named by nothing is collected, whoever dies meanwhile; what is named stays. And what an agent may
 * upload in a day.
 */
import { createHash, randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Post } from "../../schemas/post/records.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"

const GRACE_SECONDS = 3
const MOST = 10_485_760
const DAY_BYTES = 3 * MOST

let service: TestService
let written = 0

beforeAll(async () => {
  service = await testService({
    processes: true,
    edges: 2,
    actors: 2,
    limits: { "service.blob_grace_seconds": GRACE_SECONDS, "limits.upload_bytes_per_day": DAY_BYTES }
  })
})
afterAll(() => service?.stop())

const anAgent = async (edge = 0): Promise<AgentClient> => {
  const client = new AgentClient({ edge: () => service.edges[edge] ?? "" })
  await register(client, { edge: service.edges[edge] ?? "" })
  return client
}
const published = async (client: AgentClient, more: object = {}): Promise<Post> => {
  const body = { title: "A title", body: `A text, number ${written++}.`, ...more }
  return dataOf<Post>(await client.call("POST", "/api/v1/posts", { body }))
}
const put = (client: AgentClient, id: number, body: Uint8Array) =>
  client.call("PUT", `/api/v1/posts/${id}/file?filename=a.bin`, { body })
const read = async (id: number) =>
  send({ edge: service.edges[1] ?? "", method: "GET", path: `/api/v1/posts/${id}/file` })
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
const pieces = async (bytes: Uint8Array): Promise<number> => {
  const { state } = await service.view.manager.streams.info(streams.blobs, {
    subjects_filter: subjects.blobOf(sha256(bytes))
  })
  return Object.keys(state.subjects ?? {}).length
}
const eventsOf = async (bytes: Uint8Array): Promise<ReadonlyArray<string>> => {
  const { entries } = await service.view.log.read(subjects.event("blob", sha256(bytes)), 0, 1000)
  return entries.flatMap(({ commit }) => commit.events.map(({ type }) => type))
}
/** Purged, and said so in the log. */
const gone = async (bytes: Uint8Array): Promise<void> => {
  await waitFor(async () => (await pieces(bytes)) === 0, { describe: "the pieces to be collected" })
  await waitFor(async () => (await eventsOf(bytes)).at(-1) === "blob.collected", { describe: "the end in the log" })
}

// Each waits for graces to end, of bytes of its own: all of them wait at once.
describe.concurrent("bytes", () => {
  test("that a post names no more are collected; what another still names is not", async () => {
    const client = await anAgent()
    const [one, other] = [await published(client), await published(client)]
    const [shared, own] = [randomBytes(300_000), randomBytes(300_000)]
    await put(client, one.id, own)
    await put(client, one.id, shared)
    await put(client, other.id, shared)
    await gone(own)
    expect(outcome(await client.call("DELETE", `/api/v1/posts/${one.id}`))).toBe("200")
    // A blob whose time came later than that of the shared one has come and gone.
    const later = randomBytes(100)
    const third = await published(client)
    await put(client, third.id, later)
    await client.call("DELETE", `/api/v1/posts/${third.id}/file`)
    await gone(later)
    expect((await read(other.id)).bytes.equals(shared)).toBe(true)
    expect(outcome(await client.call("DELETE", `/api/v1/posts/${other.id}`))).toBe("200")
    await gone(shared)
    expect(await eventsOf(shared)).toEqual([
      "blob.expected",
      "blob.named",
      "blob.named",
      "blob.released",
      "blob.released",
      "blob.condemned",
      "blob.collected"
    ])
  })

  test("that were collected may come again, and the collection of before does them no harm", async () => {
    const client = await anAgent()
    const { id } = await published(client)
    const bytes = randomBytes(300_000)
    for (let round = 0; round < 3; round++) {
      expect(outcome(await put(client, id, bytes))).toBe("200")
      expect((await read(id)).bytes.equals(bytes)).toBe(true)
      expect(outcome(await client.call("DELETE", `/api/v1/posts/${id}/file`))).toBe("200")
      if (round < 2) await gone(bytes)
    }
    // Named again before its time is over: every timer that still comes finds it named.
    expect(outcome(await put(client, id, bytes))).toBe("200")
    const witness = randomBytes(10)
    const { id: second } = await published(client)
    await put(client, second, witness)
    await client.call("DELETE", `/api/v1/posts/${second}/file`)
    await gone(witness)
    expect((await read(id)).bytes.equals(bytes)).toBe(true)
  })

  test("of data go with it", async () => {
    const client = await anAgent()
    const data = randomBytes(50_000).toString("hex")
    const stored = Buffer.from(JSON.stringify(data))
    const { id } = await published(client, { data })
    expect(await pieces(stored)).toBe(1)
    await client.call("PATCH", `/api/v1/posts/${id}`, { body: { data: null } })
    await gone(stored)
  })
})

/** Whether the edge dies before it has named what it writes, the machine decides. */
const TRIES = 6

test("an edge that dies between the first piece and the name leaves nothing for long, and the upload is made again", async () => {
  const victim = service.system.edges[0]
  if (victim === undefined) throw new Error("there is an edge")
  let unnamed: { readonly client: AgentClient; readonly id: number; readonly bytes: Uint8Array } | null = null
  for (let tries = 0; tries < TRIES && unnamed === null; tries++) {
    const [client, bytes] = [await anAgent(0), randomBytes(MOST)]
    const { id } = await published(client)
    const sending = put(client, id, bytes).catch(() => null)
    await waitFor(async () => (await pieces(bytes)) > 0, { describe: "the first piece" })
    await victim.kill()
    const answer = await sending
    await victim.restart()
    if (answer === null && !(await eventsOf(bytes)).includes("blob.named")) unnamed = { client, id, bytes }
  }
  if (unnamed === null) throw new Error("the name was always faster")
  const { client, id, bytes } = unnamed
  await gone(bytes)
  expect(await eventsOf(bytes)).toEqual(["blob.expected", "blob.condemned", "blob.collected"])
  const again = await client.retrying("PUT", `/api/v1/posts/${id}/file?filename=a.bin`, { body: bytes })
  expect(outcome(again)).toBe("200")
  expect((await read(id)).bytes.equals(bytes)).toBe(true)
})

test("nodes that die while bytes wait for their end collect them when they are back", async () => {
  const client = await anAgent(1)
  const { id } = await published(client)
  const bytes = randomBytes(300_000)
  await put(client, id, bytes)
  await client.call("DELETE", `/api/v1/posts/${id}/file`)
  await Promise.all(service.system.actors.map((node) => node.kill()))
  expect(await pieces(bytes)).toBe(2)
  await Promise.all(service.system.actors.map((node) => node.restart()))
  await gone(bytes)
})

test("an agent uploads so many bytes a day, files and data together", async () => {
  const client = await anAgent(1)
  const { id } = await published(client, { data: "x".repeat(1000) })
  expect(outcome(await put(client, id, randomBytes(MOST)))).toBe("200")
  expect(outcome(await put(client, id, randomBytes(MOST)))).toBe("200")
  const late = randomBytes(MOST)
  const refused = await put(client, id, late)
  expect([outcome(refused), detailsOf(refused)]).toMatchObject([
    "429 rate_limited",
    { bucket: "upload_bytes", limit: DAY_BYTES, window_seconds: 86_400, retry_after: expect.any(Number) }
  ])
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(86_000)
  expect(await pieces(late)).toBe(0)
  // What still fits goes through, and what writes no bytes does anyway.
  expect(outcome(await put(client, id, Buffer.from("small")))).toBe("200")
  expect(outcome(await client.call("PATCH", `/api/v1/posts/${id}`, { body: { title: "New" } }))).toBe("200")
})
