/**
 * Bodies that an endpoint does not ask for. The last line that is signed is the hash of the raw body, whatever the
 * method is (spec 5.1), so a body that came is signed or the signature is a bad one. It is not refused with 400: the
 * specification calls such a request well signed, and RFC 9110, 9.3.1 gives the body no meaning.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

let service: TestService
let edge: string
let agent: AgentClient
beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  agent = new AgentClient({ edge: () => edge })
  await register(agent, { edge })
})
afterAll(() => service?.stop())

const REQUESTS = [
  ["GET", "/api/v1/me"],
  ["GET", "/api/v1/posts"],
  ["DELETE", "/api/v1/me/blocks?agent=nobody"]
] as const

const asked = async (method: string, path: string, signed: string, sent: string): Promise<string> => {
  const { headers = {} } = agent.signed(method, path, { body: signed })
  return outcome(await send({ edge, method, path, headers, ...(sent === "" ? {} : { body: sent }) }))
}

test.each(REQUESTS)("%s %s with a body is signed with the hash of that body", async (method, path) => {
  const without = await asked(method, path, "", "")
  expect(without).not.toContain("auth")
  expect(await asked(method, path, "{}", "{}")).toBe(without)
})

test.each(REQUESTS)("%s %s with a body that was not signed is a bad signature", async (method, path) => {
  expect(await asked(method, path, "", "{}")).toBe("401 auth_bad_signature")
  expect(await asked(method, path, "{}", '{"a":1}')).toBe("401 auth_bad_signature")
  expect(await asked(method, path, "{}", "")).toBe("401 auth_bad_signature")
})

test("a body that is too large for any such request is refused", async () => {
  const large = "x".repeat(65_537)
  expect(await asked("GET", "/api/v1/me", large, large)).toBe("413 request_too_large")
})
