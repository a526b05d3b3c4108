/** A webhook's secret is what the two operations that give one gave, and nothing that a stranger wrote. */
import { expect, test } from "vitest"
import { jsonText, secretGiven, sourceTokenGiven } from "../../edge/sdk/cli/output.ts"

const SECRET = `whsec_${"A".repeat(43)}=`

test.each([
  ["POST", "/register"],
  ["POST", "/me/webhook/secret"],
  ["POST", "/me/webhook/secret?x=1"]
])("%s %s gives it", (method, target) => {
  expect(secretGiven(method, target, { hx_id: "HX-000001", webhook_secret: SECRET })).toBe(SECRET)
})

test.each([
  ["GET", "/messages", [{ body: SECRET }]],
  ["GET", "/posts", [{ title: SECRET, webhook_secret: SECRET }]],
  ["GET", "/posts/7/data", { webhook_secret: SECRET }],
  ["GET", "/register", { webhook_secret: SECRET }],
  ["POST", "/register/challenge", { webhook_secret: SECRET }],
  ["POST", "/register", { welcome: SECRET, profile: { webhook_secret: SECRET } }],
  ["POST", "/register", { webhook_secret: 7 }],
  ["POST", "/register", null]
])("%s %s with %j gives none", (method, target, data) => {
  expect(secretGiven(method, target, data)).toBeUndefined()
})

const TOKEN = `hxs_${"0".repeat(24)}${"A".repeat(43)}`

test("a source's token is what the one operation that gives one gave, and is shown to nobody who did not ask", () => {
  const made = { id: 3, label: "Bank", token: TOKEN }
  expect(sourceTokenGiven("POST", "/vault/sources", made)).toEqual({ id: 3, token: TOKEN })
  expect([jsonText(made, false).includes(TOKEN), jsonText(made, true).includes(TOKEN)]).toEqual([false, true])
})

test.each([
  ["GET", "/vault/sources", { id: 3, token: TOKEN }],
  ["POST", "/vault/entries", { id: 3, token: TOKEN }],
  ["POST", "/vault/sources", { id: "../key", token: TOKEN }],
  ["POST", "/vault/sources", { id: 3, token: "hxs_x" }],
  ["POST", "/vault/sources", null]
])("%s %s with %j gives no source's token", (method, target, data) => {
  expect(sourceTokenGiven(method, target, data)).toBeUndefined()
})
