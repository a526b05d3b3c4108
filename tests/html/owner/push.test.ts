/** Owners are told in their browsers by Web Push (contract 16, 22), over two edges and two nodes. */
import { generateKeyPairSync } from "node:crypto"
import { createLocalJWKSet, jwtVerify } from "jose"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { OwnerMessage } from "../../../schemas/owner/records.ts"
import { boxOf, RELAYED_EVENTS } from "../../../schemas/relay/events.ts"
import { RELAY_LIMITS } from "../../../schemas/relay/limits.ts"
import { waitFor } from "../../harness/index.ts"
import type { Answer } from "../../support/http.ts"
import { openBrowser, type TestBrowser } from "../../support/browser.ts"
import { dataOf } from "../../support/outcome.ts"
import { newOwner, ownedBy, type TestOwner } from "../../support/owner.ts"
import { PushService, type PushedBrowser } from "../../support/push-service.ts"
import { foundIn } from "../../support/planted.ts"
import { sharedService, testService, type TestService } from "../../support/service.ts"
import type { Carried } from "../../support/sponsorship.ts"
import { formsOf, noticeOf } from "./client.ts"

const JWK = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" })
const PUBLIC_KEY = Buffer.concat([
  Buffer.from([4]),
  Buffer.from(JWK.x ?? "", "base64url"),
  Buffer.from(JWK.y ?? "", "base64url")
]).toString("base64url")
const SETTINGS = "/owner/settings"
/** Things that agents ask, of which one owner's browsers are told. */
const ASKED = 5

let push: PushService
let service: TestService
beforeAll(async () => {
  push = await PushService.open()
  service = await testService({
    metrics: true,
    edges: 2,
    actors: 2,
    env: { HUB_VAPID_KEY: JWK.d ?? "" },
    limits: {
      "rate_limits.sponsorship.requests": 1000,
      "rate_limits.message.requests": 1000,
      "limits.owner.relay_asked.requests": ASKED,
      "service.letters.retry_seconds.1": 1
    }
  })
})
afterAll(async () => {
  await service?.stop()
  await push?.stop()
})

/** The page that turns it on, and what it sends. */
const subscribed = async ({ client }: TestOwner, fields: object): Promise<Answer> => {
  const page = await client.change("offer_push", {})
  expect(page.status).toBe(200)
  const form = formsOf(page.text).find(({ fields: hidden }) => hidden["action"] === "subscribe_push")
  return client.post(SETTINGS, { ...form?.fields, ...fields })
}

const aPair = async (): Promise<{ owner: TestOwner; agent: Carried; browser: PushedBrowser }> => {
  const pair = await ownedBy(service.edges, await newOwner(service.edges))
  const browser = push.browser()
  expect((await subscribed(pair.owner, browser.fields)).status).toBe(303)
  return { ...pair, browser }
}

const ask = async ({ client }: Carried, text: string): Promise<OwnerMessage> =>
  dataOf(await client.call("POST", "/api/v1/me/owner/message", { body: { text, kind: "question" } }))

const namesOn = async ({ client }: TestOwner): Promise<number> =>
  (await client.get(SETTINGS)).text.split("Notified since").length - 1

describe("a browser that is subscribed", () => {
  it("is told of a question, encrypted for it and signed by the service's key, and nothing of it stands anywhere", async () => {
    const { owner, agent, browser } = await aPair()
    const settings = await owner.client.get(SETTINGS)
    expect(noticeOf(settings)).toBe("You are told in that browser from now on.")
    const asked = await ask(agent, "May I spend <b>5 EUR</b>?")
    expect(asked.delivered_to).toEqual([{ human_id: owner.id, state: "queued" }])
    const shown = await browser.told("5 EUR")
    const handle = agent.agent.handle
    expect(shown).toMatchObject({ title: `@${handle} asks or tells you something`, body: "May I spend <b>5 EUR</b>?" })
    expect(new URL(shown.url).pathname).toBe(`/owner/agents/${handle}`)
    const [{ headers, body }] = browser.pushed as [(typeof browser.pushed)[number]]
    expect(headers).toMatchObject({ urgency: "high", ttl: String(RELAY_LIMITS.relay_max_age_seconds) })
    expect(body.toString("latin1")).not.toContain(handle)
    const [, jwt = "", key] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? "") ?? []
    expect(key).toBe(PUBLIC_KEY)
    const { d: _secret, ...jwk } = JWK
    const { payload } = await jwtVerify(jwt, createLocalJWKSet({ keys: [{ ...jwk, alg: "ES256" } as never] }))
    expect(payload.aud).toBe(push.origin)
    expect(payload.sub).toMatch(/^(https|mailto):/)
    const { auth, p256dh } = browser.fields
    expect(await foundIn(service, [browser.path, auth, p256dh, JWK.d ?? "none", "5 EUR"])).toEqual([])
  })

  it("hears of what was chosen and of nothing else", async () => {
    const { owner, agent, browser } = await aPair()
    const boxes = RELAYED_EVENTS.filter(({ event }) => event !== "owner.asked")
    const chosen = Object.fromEntries(boxes.map(({ event }) => [boxOf("push", event), "on"]))
    expect((await owner.client.change("choose_relay", chosen)).status).toBe(303)
    expect((await ask(agent, "Unheard")).delivered_to).toMatchObject([{ state: "not_linked" }])
    expect(
      (await owner.client.change("choose_relay", { ...chosen, [boxOf("push", "owner.asked")]: "on" })).status
    ).toBe(303)
    await ask(agent, "Heard")
    await browser.told("Heard")
    expect(browser.shown.map(({ body }) => body)).toEqual(["Heard"])
  })

  it("is told of so many questions; the agent hears that the next one stands on the page alone", async () => {
    const { owner, agent, browser } = await aPair()
    for (let n = 0; n < ASKED; n++) {
      expect((await ask(agent, `Question ${n}`)).delivered_to).toMatchObject([{ state: "queued" }])
      await browser.told(`Question ${n}`)
    }
    expect((await ask(agent, "One too many")).delivered_to).toMatchObject([{ state: "not_linked" }])
    expect((await owner.client.get(`/owner/agents/${agent.agent.handle}`)).text).toContain("One too many")
    expect(browser.shown).toHaveLength(ASKED)
  })

  it("is told once after a passing fault", async () => {
    const { agent, browser } = await aPair()
    browser.fails(503)
    await ask(agent, "After a fault")
    await waitFor(() => Promise.resolve(browser.pushed.length === 2 || null), { describe: "a second attempt" })
    await ask(agent, "The next")
    await browser.told("The next")
    expect(browser.shown.map(({ body }) => body)).toEqual(["After a fault", "After a fault", "The next"])
  })

  it.each([404, 410])("is forgotten once its push service answers %d", async (status) => {
    const { owner, agent, browser } = await aPair()
    const other = push.browser()
    await subscribed(owner, other.fields)
    expect(await namesOn(owner)).toBe(2)
    browser.fails(status)
    await ask(agent, "Gone")
    await waitFor(async () => (await namesOn(owner)) === 1 || null, { describe: "one browser" })
    await ask(agent, "Still here")
    await other.told("Still here")
    expect(browser.pushed).toHaveLength(1)
  })

  it("is ended by its owner, and by nobody else", async () => {
    const [{ owner, agent, browser }, stranger] = [await aPair(), await aPair()]
    const { fields } = await owner.client.form(SETTINGS, SETTINGS, { action: "end_push" })
    expect((await stranger.owner.client.post(SETTINGS, fields)).status).toBe(403)
    const ended = await owner.client.post(SETTINGS, fields)
    expect(noticeOf(await owner.client.follow(ended))).toBe("You are told in that browser no more.")
    expect(await namesOn(owner)).toBe(0)
    expect((await ask(agent, "Nobody")).delivered_to).toMatchObject([{ state: "not_linked" }])
    expect([browser.pushed.length, await namesOn(stranger.owner)]).toEqual([0, 1])
  })
})

describe("a subscription", () => {
  it("takes the place of the one before of the same browser, and ten are the most", async () => {
    const { owner, browser } = await aPair()
    expect((await subscribed(owner, browser.fields)).status).toBe(303)
    expect(await namesOn(owner)).toBe(1)
    const left = RELAY_LIMITS.push_subscriptions_max - 1
    for (let count = 0; count < left; count++) await subscribed(owner, push.browser().fields)
    const settings = await owner.client.get(SETTINGS)
    expect(formsOf(settings.text).some(({ fields }) => fields["action"] === "offer_push")).toBe(false)
    // The same browser again still finds its place.
    const { fields } = await owner.client.form(SETTINGS, SETTINGS, { action: "end_push" })
    await owner.client.post(SETTINGS, fields)
    const page = await owner.client.change("offer_push", {})
    const form = formsOf(page.text).find((one) => one.fields["action"] === "subscribe_push")
    expect((await subscribed(owner, push.browser().fields)).status).toBe(303)
    expect((await owner.client.post(SETTINGS, { ...form?.fields, ...push.browser().fields })).status).toBe(422)
    expect(await namesOn(owner)).toBe(10)
  })

  it.each([
    ["no address", { endpoint: "nothing" }],
    [
      "a key that is no point of the curve",
      { p256dh: Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]).toString("base64url") }
    ],
    ["a key that is too short", { p256dh: "BA" }],
    ["no secret", { auth: "" }],
    ["an address that is too long", { endpoint: `https://push.example/${"x".repeat(1000)}` }]
  ])("with %s is refused", async (_what, wrong) => {
    const owner = await newOwner(service.edges)
    expect((await subscribed(owner, { ...push.browser().fields, ...wrong })).status).toBe(422)
    expect(await namesOn(owner)).toBe(0)
  })
})

describe("in a real browser", () => {
  let browser: TestBrowser
  beforeAll(async () => {
    browser = await openBrowser({ whole: true })
  })
  afterAll(() => browser?.stop())

  it("the settings' page subscribes it, and its worker shows a message and opens the page", async () => {
    const { owner, agent } = await ownedBy(service.edges, await newOwner(service.edges))
    const edge = service.edges[0] ?? ""
    const visit = await browser.visit(`${edge}/owner/login?next=${SETTINGS}`)
    const { page } = visit
    await page.context().grantPermissions(["notifications"], { origin: edge })
    // The push service of the browser's maker is out of reach here: what it would answer is made up, all else is real.
    const { endpoint, p256dh, auth } = push.browser().fields
    const made = JSON.stringify({ endpoint, keys: { p256dh, auth } })
    await page.addInitScript(`window.PushManager && Object.assign(PushManager.prototype, {
      subscribe: ({ userVisibleOnly, applicationServerKey }) => {
        const key = btoa(String.fromCharCode(...new Uint8Array(applicationServerKey)))
        window.name = JSON.stringify({ userVisibleOnly, key })
        return Promise.resolve({ toJSON: () => (${made}) })
      } })`)
    await page.getByLabel("E-mail address").fill(owner.client.email)
    await page.getByLabel("Password", { exact: true }).fill(owner.client.password)
    await page.getByRole("button", { name: "Log in", exact: true }).click()
    await page.getByRole("button", { name: "Notify me in this browser" }).click()
    await page.getByRole("button", { name: "Tell me in this browser" }).click()
    await page.getByText("You are told in that browser from now on.").waitFor()
    expect(JSON.parse(String(await page.evaluate("window.name")))).toEqual({
      userVisibleOnly: true,
      key: Buffer.from(PUBLIC_KEY, "base64url").toString("base64")
    })
    expect(await namesOn(owner)).toBe(1)
    expect(visit.complaints).toEqual([])
    expect(visit.requests.every((url) => url.startsWith(edge))).toBe(true)

    const devtools = await page.context().newCDPSession(page)
    const registrations: Array<{ registrationId: string; scopeURL: string }> = []
    devtools.on("ServiceWorker.workerRegistrationUpdated", (told) => registrations.push(...told.registrations))
    await devtools.send("ServiceWorker.enable")
    const { registrationId } = await waitFor(
      () => Promise.resolve(registrations.find(({ scopeURL }) => scopeURL === `${edge}/owner/`) ?? null),
      { describe: "a registered worker" }
    )
    await page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    const url = `${edge}/owner/agents/${agent.agent.handle}`
    const data = JSON.stringify({ title: "A title", body: "<b>A text</b>", tag: "one", url })
    const SHOWN = `navigator.serviceWorker.ready.then((ready) => ready.getNotifications()).then((all) =>
      all.map(({ title, body, tag, data }) => ({ title, body, tag, url: data.url })))`
    const shown = await waitFor(async () => {
      // A push for a worker that is still being installed is lost, here and in the field. The next one replaces it.
      await devtools.send("ServiceWorker.deliverPushMessage", { origin: edge, registrationId, data })
      const all = (await page.evaluate(SHOWN)) as ReadonlyArray<unknown>
      return all.length > 0 ? all : null
    })
    expect(shown).toEqual([{ title: "A title", body: "<b>A text</b>", tag: "one", url }])
    await visit.close()
  })
})

it("a deployment without a key offers nothing of it", async () => {
  const without = await sharedService()
  try {
    const owner = await newOwner(without.edges)
    const settings = await owner.client.get(SETTINGS)
    expect(formsOf(settings.text).some(({ fields }) => fields["action"] === "offer_push")).toBe(false)
    expect(settings.text).not.toContain("Browser<span")
  } finally {
    await without.stop()
  }
})
