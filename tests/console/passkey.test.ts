/** Operators enter the console by a passkey: at its own address, with the role, and by nothing less. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { takesPasskeys } from "../../schemas/console/settings.ts"
import { drawPort } from "../../ops/launcher/ports.ts"
import { headingOf } from "../html/owner/client.ts"
import { fieldsOn, PasskeyOwner, wantedOn } from "../html/owner/passkeys.ts"
import type { Otherwise } from "../support/authenticator.ts"
import type { Answer } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { tokensTo } from "../support/outbox.ts"
import { logOf, testService, type TestService } from "../support/service.ts"
import { OperatorClient, startConsole, type TestConsole } from "./desk.ts"

const LOG_IN = "/login/passkey"

let service: TestService
let desk: TestConsole
beforeAll(async () => {
  const port = await drawPort()
  service = await testService({ env: { HUB_CONSOLE_URL: `http://127.0.0.1:${port}` } })
  desk = await startConsole(service, {}, port)
})
afterAll(async () => {
  await desk?.stop()
  await service?.stop()
})

const withPasskey = async (): Promise<PasskeyOwner> => {
  const owner = new PasskeyOwner({ edge: () => service.edges[0] ?? "", origin: service.system.url })
  await owner.signUp()
  const [token = ""] = await tokensTo(service, owner.email, "/owner/verify")
  await owner.fill(`/owner/verify?token=${token}`, {}, "/owner/verify")
  expect((await owner.added()).status).toBe(303)
  return owner
}
const granted = ({ email }: PasskeyOwner) =>
  operate(service.system, ["human", "grant", email, "operator", "--reason", "on call"])
const entering = async (owner: PasskeyOwner, otherwise: Otherwise = { origin: desk.url }) => {
  const client = new OperatorClient(desk.url)
  const page = await client.get(LOG_IN)
  const sent = { ...fieldsOn(page, LOG_IN), answer: owner.key.get(wantedOn(page), otherwise) }
  return { client, sent, answer: await client.post(LOG_IN, sent) }
}
const isRefused = (client: OperatorClient, answer: Answer, why: string): void => {
  expect([answer.status, headingOf(answer)]).toEqual([403, "Log in with a passkey"])
  expect(answer.text).toContain(why)
  expect(client.cookies.has("hub_console")).toBe(false)
}

test("a passkey is both steps of the login, once, for a session of the console", async () => {
  const owner = await withPasskey()
  const before = await entering(owner)
  isRefused(before.client, before.answer, "This account is not an operator&#39;s.")
  await granted(owner)
  expect((await new OperatorClient(desk.url).get("/login")).text).toContain("Log in with a passkey")
  const { client, sent, answer } = await entering(owner)
  expect([answer.status, answer.headers.location]).toEqual([303, "/"])
  expect(headingOf(await client.get("/"))).toBe("Cluster")
  // The same again is no login, in this browser or in another.
  client.cookies.delete("hub_console")
  isRefused(client, await client.post(LOG_IN, sent), "The passkey was not accepted")
  const opened = (await logOf(service.view, "human", owner.human)).flatMap(({ commit }) =>
    commit.events.filter(({ type }) => type === "human.session_opened")
  )
  expect(opened.at(-1)).toMatchObject({ console: true })
})

test.each([
  ["at the owner's pages", () => ({ origin: service.system.url })],
  ["at another site", () => ({ origin: "http://127.0.0.1:1" })],
  ["for another relying party", () => ({ origin: desk.url, rpId: "other.example" })],
  ["without knowing its owner", () => ({ origin: desk.url, verified: false })]
])("one that was asked for %s is refused", async (_where, otherwise) => {
  const owner = await withPasskey()
  await granted(owner)
  const { client, answer } = await entering(owner, otherwise())
  isRefused(client, answer, "The passkey was not accepted")
})

test("an assertion for the console opens nothing of the owner's pages", async () => {
  const owner = await withPasskey()
  await granted(owner)
  expect((await owner.entering({ origin: desk.url })).status).toBe(403)
})

test("the page runs the one script that it has, and nothing else", async () => {
  const page = await new OperatorClient(desk.url).get(LOG_IN)
  expect(page.headers["content-security-policy"]).toMatch(/script-src 'sha256-[A-Za-z0-9+/=]+'; connect-src 'self'/)
  expect(page.text.split("<script>").length - 1).toBe(1)
})

test("passkeys work at the service's host and at names below it", () => {
  const base = "https://hub.example.org"
  for (const at of ["https://hub.example.org:8443", "https://console.hub.example.org"])
    expect([at, takesPasskeys(base, at)]).toEqual([at, true])
  for (const at of ["https://example.org", "https://evilhub.example.org", "http://127.0.0.1:8081", "https://org"])
    expect([at, takesPasskeys(base, at)]).toEqual([at, false])
})
