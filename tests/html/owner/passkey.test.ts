/** Passkeys at the pages, by a security key in software: added, used, removed, and everything that is no login. */
import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { LOGIN, PasskeyChallenges } from "../../../actors/human/passkey-challenge.ts"
import { Forms } from "../../../edge/kit/owner/form-token.ts"
import { PASSKEY_LIMITS } from "../../../schemas/human/limits.ts"
import type { Otherwise } from "../../support/authenticator.ts"
import { logOf, sharedService, TEST_SERVER_KEY, type TestService } from "../../support/service.ts"
import { type Fields, formsOf, noticeOf, OwnerClient, problemsOf } from "./client.ts"
import { fieldsOn, isRefused, LOG_IN, passkeyOwner, type PasskeyOwner, SETTINGS, wantedOn } from "./passkeys.ts"

let service: TestService
let origin = ""
beforeAll(async () => {
  service = await sharedService()
  origin = service.system.url
})
afterAll(() => service?.stop())

let turn = 0
const edge = (): string => service.edges[turn++ % service.edges.length] ?? ""

const owner = () => passkeyOwner({ edge, origin })

const withPasskey = async (otherwise: Otherwise = {}): Promise<PasskeyOwner> => {
  const one = await owner()
  expect((await one.added(otherwise)).status).toBe(303)
  return one
}

test("one is added by the password, lets in by itself, and is removed by the password", async () => {
  const ada = await owner()
  const wrong = await ada.change("offer_passkey", { label: "", password: "not the right one" })
  expect([wrong.status, problemsOf(wrong)]).toEqual([
    422,
    [expect.stringContaining("The name must be 1 to 60 characters")]
  ])
  const unknown = await ada.change("offer_passkey", { label: "My phone", password: "not the right one" })
  expect([unknown.status, problemsOf(unknown)]).toEqual([422, ["This is not your password."]])

  const added = await ada.added({}, "Ada's <phone>")
  expect([added.status, added.headers.location]).toEqual([303, SETTINGS])
  const settings = await ada.get(SETTINGS)
  expect(noticeOf(settings)).toBe("Your passkey lets you in from now on.")
  expect(settings.text).toContain("Ada&#39;s &lt;phone&gt;")
  expect(settings.text).toContain("not used yet")

  const entered = await ada.entering()
  expect([entered.status, entered.headers.location]).toEqual([303, "/owner"])
  const again = await ada.get(SETTINGS)
  expect([again.status, again.text.includes("last used")]).toEqual([200, true])

  const kept = await ada.change("remove_passkey", { password: "not the right one" })
  expect([kept.status, problemsOf(kept)]).toEqual([422, ["This is not your password."]])
  const removed = await ada.change("remove_passkey", { password: ada.password })
  expect([removed.status, removed.headers.location]).toEqual([303, SETTINGS])
  isRefused(await ada.entering())
})

test("it is both steps of a login, leads on, and every session by it is one of the account", async () => {
  const ada = await withPasskey()
  const { human, password } = ada
  await ada.change("offer_two_step", { password })
  ada.cookies.clear()
  const page = await ada.get(`${LOG_IN}?next=${SETTINGS}`)
  const entered = await ada.post(LOG_IN, { ...fieldsOn(page, LOG_IN), answer: ada.key.get(wantedOn(page)) })
  expect([entered.status, entered.headers.location, ada.human]).toEqual([303, SETTINGS, human])
  expect((await ada.get(LOG_IN)).headers.location).toBe("/owner")
  const login = await ada.another().get("/owner/login")
  expect(formsOf(login.text).map(({ action }) => action)).toContain(LOG_IN)
})

test("one that vouches for itself, and counts, is as good", async () => {
  const ada = await withPasskey({ attestation: "self", counter: 1 })
  expect((await ada.entering()).status).toBe(303)
})

describe("no login is", () => {
  test("an assertion that was used, in the same browser or another", async () => {
    const ada = await withPasskey()
    ada.cookies.clear()
    const page = await ada.get(LOG_IN)
    const sent: Fields = { ...fieldsOn(page, LOG_IN), answer: ada.key.get(wantedOn(page)) }
    const { challenge = "", answer = "" } = sent
    const cookie = ada.cookies.get("hub_owner_form") ?? ""
    expect((await ada.post(LOG_IN, sent)).status).toBe(303)
    ada.cookies.delete("hub_owner")
    isRefused(await ada.post(LOG_IN, sent))
    // The same with a form of its own: what it is asked with counts.
    const fresh = await ada.get(LOG_IN)
    isRefused(await ada.post(LOG_IN, { ...fieldsOn(fresh, LOG_IN), challenge, answer }))
    isRefused(await ada.post(LOG_IN, { ...fieldsOn(fresh, LOG_IN), answer }))
    expect(ada.cookies.get("hub_owner_form")).toBe(cookie)
  })

  test("one that was made for another browser's challenge", async () => {
    const ada = await withPasskey()
    const mallory = new OwnerClient(edge)
    ada.cookies.clear()
    const page = await ada.get(LOG_IN)
    const { challenge = "" } = fieldsOn(page, LOG_IN)
    const own = fieldsOn(await mallory.get(LOG_IN), LOG_IN)
    isRefused(await mallory.post(LOG_IN, { ...own, challenge, answer: ada.key.get(wantedOn(page)) }))
  })

  test.each<[string, Otherwise]>([
    ["of another site", { origin: "https://evil.example" }],
    ["for another service", { rpId: "evil.example" }],
    ["without a look at who it is", { verified: false }],
    ["that was made to add one", { type: "webauthn.create" }],
    ["of a challenge of its own", { challenge: Buffer.alloc(32).toString("base64url") }],
    ["by a passkey that nobody has", { id: "AAAA" }],
    ["of an account that is not there", { userHandle: Buffer.from("hum_aaaaaaaaaaaaaaaa").toString("base64url") }],
    ["of nobody", { userHandle: "AAAA" }]
  ])("one %s", async (_name, otherwise) => {
    const ada = await withPasskey()
    isRefused(await ada.entering(otherwise))
    expect((await ada.entering()).status).toBe(303)
  })

  test("all of these have the same page", async () => {
    const ada = await withPasskey()
    const pageOf = async (otherwise: Otherwise) =>
      (await ada.entering(otherwise)).text.replaceAll(/value="[^"]*"/g, 'value=""')
    const [first, ...others] = [
      await pageOf({ id: "AAAA" }),
      await pageOf({ origin: "https://evil.example" }),
      await pageOf({ userHandle: Buffer.from("hum_aaaaaaaaaaaaaaaa").toString("base64url") })
    ]
    expect(new Set(others)).toEqual(new Set([first]))
  })

  test.each(["", "{", "[]", "null", '{"id":"AAAA"}', `{"id":"${"A".repeat(5000)}"}`])(
    "what is no answer: %.20s",
    async (answer) => {
      const bob = new OwnerClient(edge)
      isRefused(await bob.fill(LOG_IN, { answer }))
    }
  )

  test("a copy's, whose counter goes back or stands still", async () => {
    const ada = await withPasskey({ counter: 5 })
    isRefused(await ada.entering({ counter: 5 }))
    expect((await ada.entering({ counter: 7 })).status).toBe(303)
    isRefused(await ada.entering({ counter: 6 }))
    isRefused(await ada.entering({ counter: 7 }))
    isRefused(await ada.entering({ counter: 0 }))
    expect((await ada.entering({ counter: 8 })).status).toBe(303)
  })

  test("one that is told as another person's, who has a passkey of that id", async () => {
    const ada = await withPasskey()
    const [{ id = "", userHandle = "" } = {}] = ada.key.passkeys
    const mallory = await withPasskey({ id, userHandle })
    isRefused(await mallory.entering())
    expect((await ada.entering()).status).toBe(303)
  })

  test("one whose time is over, or which nobody but the browser has made", async () => {
    const ada = await withPasskey()
    const browser = new OwnerClient(edge)
    const fields = fieldsOn(await browser.get(LOG_IN), LOG_IN)
    const bound = new Forms(browser.cookies.get("hub_owner_form") ?? "").bound("login.passkey")
    const made = (key: Uint8Array, at: number) => new PasskeyChallenges(key).make(LOGIN, { bound }, at)
    const send = ({ challenge, sealed }: { readonly challenge: string; readonly sealed: string }) => {
      const wanted = JSON.stringify({ challenge, rpId: new URL(origin).hostname })
      return browser.post(LOG_IN, { ...fields, challenge: sealed, answer: ada.key.get(wanted) })
    }
    const right = Buffer.from(TEST_SERVER_KEY, "base64")
    isRefused(await send(made(right, Date.now() - PASSKEY_LIMITS.challenge_seconds * 1000)))
    isRefused(await send(made(Buffer.alloc(32, 8), Date.now())))
    isRefused(await send({ ...made(right, Date.now()), sealed: "" }))
    expect((await send(made(right, Date.now()))).status).toBe(303)
  })
})

test("its two pages alone have a script, which their policy knows by its hash", async () => {
  const ada = await owner()
  const scripted = [await ada.offered(), await new OwnerClient(edge).get(LOG_IN)]
  for (const { text, headers } of scripted) {
    const scripts = [...text.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = ""]) => script)
    expect([scripts.length, text.match(/<script/g)?.length]).toEqual([1, 1])
    const hash = createHash("sha256")
      .update(scripts[0] ?? "")
      .digest("base64")
    const policy = headers["content-security-policy"]
    expect(policy).toMatch(/^default-src 'none'; /)
    expect(policy).toContain(`; script-src 'sha256-${hash}'; `)
    expect(policy).toContain("form-action 'self'; frame-ancestors 'none'")
    expect(headers).toMatchObject({ "cache-control": "no-store", "referrer-policy": "strict-origin" })
    expect(text).toContain("<noscript>")
  }
  for (const path of ["/owner", SETTINGS, "/owner/login", "/agents"]) {
    const { text, headers } = await (path === "/owner/login" ? new OwnerClient(edge) : ada).get(path)
    expect([path, text.includes("<script")]).toEqual([path, false])
    expect(headers["content-security-policy"]).not.toContain("script-src")
  }
})

test("what the log holds of one is sealed, and goes with the account's key", async () => {
  const ada = await withPasskey()
  await ada.entering()
  const { human } = ada
  const [{ id = "" } = {}] = ada.key.passkeys
  const log = JSON.stringify(await logOf(service.view, "human", human))
  expect(log).toContain("human.passkey_added")
  expect(log).toContain("human.passkey_used")
  expect(log).not.toContain(id)
  expect(log).not.toContain("My phone")
  await ada.change("delete", { password: ada.password, confirm: ada.email })
  isRefused(await ada.entering())
})
