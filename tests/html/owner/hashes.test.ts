/** Nobody has passwords hashed without a limit: each form with one counts as a login, also if it is sent again (contract 11). */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Forms } from "../../../edge/kit/owner/form-token.ts"
import { testService, type TestService } from "../../support/service.ts"
import { OwnerClient } from "./client.ts"

const LOGINS = 3

let service: TestService
beforeAll(async () => {
  service = await testService({
    edges: 1,
    actors: 1,
    env: { HUB_TRUST_PROXY: "1" },
    limits: { "rate_limits.human_login.requests": LOGINS }
  })
})
afterAll(() => service?.stop())

const edge = (): string => service.edges[0] ?? ""

/** The statuses of a form that is sent again and again, from an address of its own. */
const sentAgain = async (
  client: OwnerClient,
  address: string,
  path: string,
  fields: Readonly<Record<string, string>>
): Promise<ReadonlyArray<number>> => {
  const seen: Array<number> = []
  for (let n = 0; n <= LOGINS; n++) seen.push((await client.post(path, fields, { "x-forwarded-for": address })).status)
  return seen
}

test("a link of nobody with a new password", async () => {
  const client = new OwnerClient(edge)
  await client.get("/owner/forgot")
  // No page has such a form, but a browser can make its token.
  const field = new Forms(client.cookies.get("hub_owner_form") ?? "").field("reset").text
  const seen = await sentAgain(client, "192.0.2.1", "/owner/forgot", {
    form_token: /value="([^"]+)"/.exec(field)?.[1] ?? "",
    token: `${"a".repeat(16)}${randomBytes(32).toString("base64url")}`,
    password: "kept quietly by nobody"
  })
  expect(seen).toEqual([...Array.from({ length: LOGINS }, () => seen[0]), 429])
  expect(seen[0]).not.toBe(429)
})

test("a sign-up with an address that somebody has", async () => {
  const ada = new OwnerClient(edge)
  expect((await ada.signUp()).status).toBe(303)
  const eve = new OwnerClient(edge)
  const { fields } = await eve.form("/owner/signup")
  const taken = { ...fields, name: "Eve", email: ada.email, password: "kept quietly by eve" }
  expect(await sentAgain(eve, "192.0.2.2", "/owner/signup", taken)).toEqual([
    ...Array.from({ length: LOGINS }, () => 409),
    429
  ])
})
