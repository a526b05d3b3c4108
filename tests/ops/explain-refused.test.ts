/** `hub explain` of a request that was refused: who asked what, who refused, and what is in the log all the same. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { explainCommand } from "../../ops/cli/explain.ts"
import type { Refused } from "../../ops/explain/refused.ts"
import type { Story } from "../../ops/explain/story.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { testFolder, waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import type { Answer } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { said } from "./history.ts"

const CANARY = "zq-words-of-a-body"

let service: TestService
let agent: AgentClient
let other: AgentClient
let handle: string
let post: number

const open = async (): Promise<readonly [AgentClient, string]> => {
  // Either edge may have answered: all are asked.
  const edge = service.edges[1] ?? ""
  const client = new AgentClient({ edge: () => edge })
  const { handle: name } = await register(client, { edge })
  return [client, name]
}

beforeAll(async () => {
  service = await sharedService()
  ;[[agent, handle], [other]] = await Promise.all([open(), open()])
  const body = { title: "One", body: `${CANARY} of one's own.` }
  post = dataOf<{ id: number }>(await agent.call("POST", `${API_PREFIX}/posts`, { body })).id
})
afterAll(() => service?.stop())

const idOf = ({ headers }: Answer): string => String(headers["x-request-id"])
const explain = (id: string, values = {}) => said(explainCommand, service, [id], values)
const explained = async (answer: Answer): Promise<Story & { readonly refused: Refused }> =>
  JSON.parse(await explain(idOf(answer), { json: true })) as Story & { readonly refused: Refused }

test("by an actor: its operation, and nothing in the log", async () => {
  const answer = await other.call("PATCH", `${API_PREFIX}/posts/${post}`, { body: { title: "Mine" } })
  expect(answer.status).toBe(403)
  const { refused, commits } = await explained(answer)
  expect(refused).toMatchObject({
    status: 403,
    code: "not_author",
    by: "actor",
    agent: other.hubId,
    key: other.hubId,
    method: "PATCH"
  })
  expect(refused.asked).toMatch(/^post\./)
  expect([refused.route, commits]).toEqual([`${API_PREFIX}/posts/:id`, []])
  const text = await explain(idOf(answer))
  expect(text).toMatch(
    new RegExp(`^request ${idOf(answer)} was refused: 403 not_author: only its author may do this\n`)
  )
  expect(text).toContain(`\n  who        agent ${other.hubId}\n  refused by the actor (${refused.asked})\n`)
  expect(text.endsWith("\n\nnothing of it is in the log")).toBe(true)
  expect(await explain(idOf(answer), { mermaid: true })).toBe(
    "sequenceDiagram\n  Note over edge: 403 not_author by actor"
  )
})

test("by the edge: the field, and none of its value", async () => {
  const answer = await agent.call("POST", `${API_PREFIX}/posts`, { body: { title: "", body: CANARY } })
  expect(answer.status).toBe(422)
  const { refused } = await explained(answer)
  expect(refused).toMatchObject({ code: "validation_error", by: "edge", field: "title", asked: null })
  expect(await explain(idOf(answer))).toContain("\n  field      title")
  expect(await explain(idOf(answer))).not.toContain(CANARY)
})

test("by the gate: who asks is suspended", async () => {
  const [suspended, name] = await open()
  await operate(service.system, ["agent", "suspend", name])
  const answer = await suspended.call("POST", `${API_PREFIX}/posts`, { body: { title: "Two", body: "More of it." } })
  expect(answer.status).toBe(403)
  expect((await explained(answer)).refused).toMatchObject({
    code: "agent_suspended",
    by: "gate",
    agent: suspended.hubId
  })
})

test("of nobody who is known", async () => {
  const edge = service.edges[0] ?? ""
  const response = await fetch(`${edge}${API_PREFIX}/me?token=${CANARY}`)
  expect(response.status).toBe(401)
  const text = await explain(response.headers.get("x-request-id") ?? "")
  expect(text).toMatch(/\n {2}who {8}nobody who is known, client [0-9a-f]{16}\n/)
  expect(text).not.toContain(CANARY)
})

test("what an edge no longer knows is in its log", async () => {
  const answer = await other.call("PATCH", `${API_PREFIX}/posts/${post}`, { body: { title: "Mine" } })
  const id = idOf(answer)
  const line = await waitFor(
    () =>
      service.system.logs
        .text()
        .split("\n")
        .find((one) => one.includes(`"id":"${id}"`)),
    { describe: "the line of the request log" }
  )
  const folder = await mkdtemp(join(await testFolder("explain"), "log-"))
  const log = join(folder, "edge.log")
  await writeFile(log, `edge-1  | {"time":"…","id":"other"}\nedge-1  | no JSON "id":"${id}"\nedge-1  | ${line}\n`)
  const { refused } = JSON.parse(await explain(id, { log, json: true })) as { readonly refused: Refused }
  expect(refused).toMatchObject({
    status: 403,
    code: "not_author",
    by: "actor",
    key: other.hubId,
    route: `${API_PREFIX}/posts/${post}`
  })
  await expect(explain("no-such-request", { log })).rejects.toThrow(`${log} has no line of it`)
  await expect(explain(id, { log: join(folder, "none") })).rejects.toThrow("--log: ")
  await rm(folder, { recursive: true })
})

test("of what nobody remembers says how many edges were asked", async () => {
  const read = await agent.call("GET", `${API_PREFIX}/agents/${handle}`)
  await expect(explain(idOf(read))).rejects.toThrow("2 edges answered and none remembers it")
})
