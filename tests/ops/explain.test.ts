/** `hub explain`: the whole story of a request, from any of its ids. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { explainCommand } from "../../ops/cli/explain.ts"
import type { Story } from "../../ops/explain/story.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { dataOf } from "../support/outcome.ts"
import type { Answer } from "../support/http.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { said } from "./history.ts"

const WORDS = "words for nobody else"

let service: TestService
let author: AgentClient
let other: AgentClient
let written: Answer

const agent = async (): Promise<AgentClient> => {
  const edge = service.edges[0] ?? ""
  const client = new AgentClient({ edge: () => edge })
  await register(client, { edge })
  return client
}

beforeAll(async () => {
  service = await sharedService()
  ;[author, other] = [await agent(), await agent()]
  // Nobody answers there: the delivery is tried, and stays the request's own.
  const webhook = { webhook_url: "http://127.0.0.1:19999/hook" }
  dataOf(await author.call("PATCH", `${API_PREFIX}/me`, { body: webhook }))
  const thread = await author.call("POST", `${API_PREFIX}/threads`, {
    body: { title: "A thread", body: "For replies.", category: "help" }
  })
  const { id } = dataOf<{ id: number }>(thread)
  written = await other.call("POST", `${API_PREFIX}/threads/${id}/replies`, { body: { body: WORDS } })
  dataOf(written)
})
afterAll(() => service?.stop())

const explain = (id: string, values = {}) => said(explainCommand, service, [id], values)
const storyOf = async (id: string): Promise<Story> => JSON.parse(await explain(id, { json: true })) as Story
const requestId = (): string => String(written.headers["x-request-id"])
/** Once nothing waits, and the delivery was tried. */
const told = () =>
  waitFor(
    async () => {
      const story = await storyOf(requestId())
      const isDone = story.quiet.every(({ state }) => state === "unchanged")
      return isDone && story.commits.some(({ kind, events }) => kind === "delivery" && events.length > 0) ? story : null
    },
    { describe: "a story that is over" }
  )

test("of a reply tells its commits, what follows from each, and the delivery it ends in", async () => {
  const { request, commits, left_out, read_models } = await told()
  expect([request, left_out]).toEqual([requestId(), 0])
  expect(commits.map(({ seq }) => seq)).toEqual(commits.map(({ seq }) => seq).toSorted((a, b) => a - b))
  const own = commits.filter(({ cause }) => cause === null)
  expect(own.map(({ kind }) => kind)).toContain("reply")
  expect(own.every(({ command }) => command.startsWith(`${requestId()}.`))).toBe(true)
  const notified = commits.find(({ kind, actor }) => kind === "agent" && actor === author.hubId)
  expect(notified?.cause).not.toBeNull()
  const known = new Set(commits.map(({ seq }) => seq))
  expect(commits.flatMap(({ cause }) => (cause === null ? [] : [cause])).filter((seq) => !known.has(seq))).toEqual([])
  await waitFor(async () => (await storyOf(requestId())).read_models?.every(({ has }) => has), {
    describe: "read models that have it"
  })
  expect(read_models?.map(({ name }) => name)).toEqual(expect.arrayContaining(["agent", "delivery", "thread"]))
})

test("is the same from a commit, a command, and the delivery", async () => {
  const { commits } = await told()
  const delivery = commits.find(({ kind }) => kind === "delivery")
  const own = commits.find(({ cause }) => cause === null)
  for (const id of [`delivery/${delivery?.actor}`, `#${delivery?.seq}`, `#${own?.seq}`]) {
    const story = await storyOf(id)
    expect(story.request).toBe(requestId())
    expect(story.commits.map(({ seq }) => seq)).toEqual(expect.arrayContaining(commits.map(({ seq }) => seq)))
  }
})

test("of a write under an Idempotency-Key is found by the request's id too", async () => {
  const sent = await author.call("POST", `${API_PREFIX}/posts`, {
    body: { title: "Once", body: "Under a key.", kind: "note" },
    headers: { "idempotency-key": "explained-once" }
  })
  dataOf(sent)
  const id = String(sent.headers["x-request-id"])
  const { request, commits } = await storyOf(id)
  expect(request).toBe(id)
  expect(commits.map(({ kind }) => kind)).toContain("post")
  expect((await storyOf(`#${commits.find(({ kind }) => kind === "post")?.seq}`)).request).toBe(id)
})

test("is words and a diagram", async () => {
  const { commits } = await told()
  const text = await explain(requestId())
  expect(text).toMatch(new RegExp(`^request ${requestId()}: \\d+ commits\n`))
  for (const { seq, kind, actor, op } of commits)
    expect(text).toMatch(new RegExp(`^#${seq} .* ${kind}/${actor} {2}${op}`, "m"))
  expect(text).toMatch(/ {2}follows from #\d+ by /)
  const diagram = await explain(requestId(), { mermaid: true })
  expect(diagram).toMatch(/^sequenceDiagram\n {2}edge->>/)
  expect(diagram.split("\n").length).toBeGreaterThan(commits.length)
})

test("masks what strangers wrote to one alone", async () => {
  const message = await other.call("POST", `${API_PREFIX}/messages`, {
    body: { to: dataOf<{ handle: string }>(await author.call("GET", `${API_PREFIX}/me`)).handle, body: WORDS }
  })
  dataOf(message)
  expect(await explain(String(message.headers["x-request-id"]))).not.toContain(WORDS)
})

test("of what left nothing in the log is refused, with where to look", async () => {
  const read = await author.call("GET", `${API_PREFIX}/me`)
  await expect(explain(String(read.headers["x-request-id"]))).rejects.toThrow("2 edges answered and none remembers it")
  await expect(explain("#999999999")).rejects.toThrow("the log holds no commit #999999999")
  await expect(explain("delivery/999999999")).rejects.toThrow("the log holds nothing of delivery 999999999")
  await expect(explain("a b")).rejects.toThrow("explain takes a request id")
})
