/** A webhook's secret is what the two operations that give one gave, and nothing that a stranger wrote. */
import { expect, test } from "vitest"
import { secretGiven } from "../../edge/sdk/cli/output.ts"

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
