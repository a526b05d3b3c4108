/** The service's own pages check whoever comes, and turn nobody away for it (spec 4.7). */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { visit, type VisitOptions } from "../support/proof.ts"
import { register, type Registered } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

let service: TestService
let edge = ""
let client: AgentClient
let agent: Registered

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  client = new AgentClient({ edge: () => edge })
  agent = await register(client, { edge })
})
afterAll(() => service?.stop())

const comes = (headers: Readonly<Record<string, string>>, path = "/docs"): Promise<Answer> =>
  send({ edge, method: "GET", path, headers: { accept: "text/html", ...headers } })
const proof = (options: VisitOptions): Readonly<Record<string, string>> =>
  visit(client.identity, agent.hx_id, { host: new URL(edge).host, ...options }).headers
const said = (answer: Answer): ReadonlyArray<unknown> => [
  answer.status,
  answer.headers["hub-id-verified"],
  answer.headers["hub-id-announced"]
]

/** A page does not wait long for the verdict on a visitor. Without one it says nothing, so the visitor comes again. */
const judged = (
  headersOf: () => Readonly<Record<string, string>>,
  path?: string
): Promise<readonly [Answer, Readonly<Record<string, string>>]> =>
  waitFor(
    async () => {
      const headers = headersOf()
      const answer = await comes(headers, path)
      return answer.headers["hub-id-verified"] === undefined ? null : ([answer, headers] as const)
    },
    { describe: "a verdict" }
  )

test("whoever shows nothing is told nothing", async () => {
  expect(said(await comes({ "user-agent": "Mozilla/5.0" }))).toEqual([200, undefined, undefined])
})

test("an announcement is repeated as one", async () => {
  const userAgent = `HubAgent/1.0 (${agent.hx_id}; +${edge}/id/${agent.hx_id})`
  expect(said(await comes({ "user-agent": userAgent }))).toEqual([200, undefined, `${agent.hx_id}; not verified`])
})

test("a proof for this page is good once, on any page", async () => {
  const path = `/agents/${agent.handle}?from=proof`
  const [answer, headers] = await judged(() => proof({ path }), path)
  expect(said(answer)).toEqual([200, agent.hx_id, undefined])
  expect(answer.headers["cache-control"]).toBe("private, no-store")
  const [again] = await judged(() => headers, path)
  expect(said(again)).toEqual([200, "invalid; reason=replayed", undefined])
})

test("a proof that fails is told its reason, and the page all the same", async () => {
  const [elsewhere] = await judged(() => proof({ path: "/elsewhere" }))
  expect(said(elsewhere)).toEqual([200, "invalid; reason=bad_signature", undefined])
  const [half] = await judged(() => ({ "hub-id": agent.hx_id }))
  expect(said(half)).toEqual([200, "invalid; reason=headers_incomplete", undefined])
  const [nowhere] = await judged(() => proof({ path: "/no-such-page" }), "/no-such-page")
  expect(said(nowhere)).toEqual([404, agent.hx_id, undefined])
})

test("the verifier is served as the committed file, JavaScript without types, and its page beside it", async () => {
  const source = await comes({}, "/sdk/verify.js")
  expect([source.status, source.headers["content-type"]]).toEqual([200, "text/javascript; charset=utf-8"])
  expect(source.text).toBe(await readFile(join(projectRoot, "edge/sdk/verify.bundle.js"), "utf8"))
  const module = (await import(`data:text/javascript;base64,${Buffer.from(source.text).toString("base64")}`)) as {
    readonly createVerifier?: unknown
  }
  expect(module.createVerifier).toBeTypeOf("function")
  expect((await comes({}, "/docs/verify")).headers["content-type"]).toBe("text/html; charset=utf-8")
})
