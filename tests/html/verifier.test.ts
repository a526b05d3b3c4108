/**
 * The website verifier in a real browser: the file as the service serves it, on WebCrypto, against the service itself.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type TestBrowser, openBrowser } from "../support/browser.ts"
import { AgentClient } from "../support/client.ts"
import { newIdentity } from "../support/identity.ts"
import { visit } from "../support/proof.ts"
import { register, type Registered } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

let service: TestService
let browser: TestBrowser
let edge = ""
let client: AgentClient
let agent: Registered

beforeAll(async () => {
  service = await sharedService()
  browser = await openBrowser()
  edge = service.edges[0] ?? ""
  client = new AgentClient({ edge: () => edge })
  agent = await register(client, { edge })
})
afterAll(async () => {
  await browser?.stop()
  await service?.stop()
})

it("judges as the service does", async () => {
  const visits = [
    visit(client.identity, agent.hx_id),
    { ...visit(client.identity, agent.hx_id), path: "/elsewhere" },
    visit(newIdentity(), agent.hx_id),
    visit(client.identity, "HX-987654"),
    { ...visit(client.identity, agent.hx_id), headers: {} }
  ]
  const { run, close } = await browser.visit(`${edge}/api/v1/time`)
  const reasons = await run(`(async () => {
    const { createVerifier } = await import("${edge}/sdk/verify.js")
    const verifier = createVerifier({ hub: "${edge}", hosts: ["shop.example"] })
    const requests = ${JSON.stringify(visits)}
    const reasons = []
    for (const request of [...requests, requests[0]]) reasons.push((await verifier.check(request)).reason)
    return reasons
  })()`)
  await close()
  expect(reasons).toEqual([null, "bad_signature", "bad_signature", "id_unknown", "headers_missing", "replayed"])
})

it("tells an agent from others by the snippet on its profile", async () => {
  const visits = [visit(client.identity, agent.hx_id), visit(newIdentity(), agent.hx_id)]
  const profile = await browser.visit(`${edge}/agents/${agent.handle}`)
  const snippet = await profile.page.getByRole("region", { name: "Verify this agent" }).locator("pre").innerText()
  await profile.close()
  const importing = 'import { createVerifier } from "./verify.mjs"'
  expect(snippet).toContain(importing)
  const code = snippet.replace(importing, `const { createVerifier } = await import("${edge}/sdk/verify.js")`)
  const { run, close } = await browser.visit(`${edge}/api/v1/time`)
  const answers = await run(`Promise.all(${JSON.stringify(visits)}.map(async (request) => {
    ${code}
    return isThisAgent
  }))`)
  await close()
  expect(answers).toEqual([true, false])
})
