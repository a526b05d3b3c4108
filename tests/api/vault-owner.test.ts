/** What a vault asks its agent's owners, and what they see and hear of it, over two edges (spec 3.7, 4.10, 4.12; contract 9, 17). */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Captcha } from "../../schemas/captcha/records.ts"
import type { AskedFill } from "../../schemas/vault/records.ts"
import { waitFor } from "../harness/index.ts"
import { noticeOf } from "../html/owner/client.ts"
import { captchaBody, captchaSent } from "../support/captcha.ts"
import type { Answer } from "../support/http.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { newOwner, type TestOwner } from "../support/owner.ts"
import { type TestService, testService } from "../support/service.ts"
import { operate } from "../support/hub.ts"
import { anAgent, told } from "../support/sponsorship.ts"
import { Telegram } from "../support/telegram.ts"
import { asHolder, issueToken, openVault, VAULT, type Wanted } from "../support/vault.ts"
import { FILL, journal, login, type OwnedVault, ownedVault, SHOP, writing, written } from "../support/vault-owner.ts"

let service: TestService
/** Where nobody waits long. */
let hasty: TestService
let telegram: Telegram

beforeAll(async () => {
  telegram = await Telegram.open()
  const limits = { "rate_limits.sponsorship.requests": 1000, "service.vault.alert_seconds": 3600 }
  service = await testService({ edges: 2, actors: 2, keeper: true, env: telegram.env, limits })
  hasty = await testService({
    edges: 1,
    actors: 1,
    keeper: true,
    limits: { ...limits, "vault.consent_seconds": 2, "vault.fill_pending_seconds": 2 }
  })
})
afterAll(async () => {
  await Promise.all([service?.stop(), hasty?.stop()])
  await telegram?.stop()
})

const aVault = (of = service) => ownedVault(of)

const asked = async ({ ask }: OwnedVault, wanted: object): Promise<AskedFill> => {
  const answer = await ask("POST", FILL, wanted)
  expect(answer.status).toBe(202)
  expect(answer.text).not.toContain("hxv1.")
  return dataOf(answer)
}
const consents = ({ owner, agent }: OwnedVault, fill: number, act: "allow" | "decline"): Promise<Answer> =>
  owner.client.fill(owner.page({ agent }), { act }, `${owner.page({ agent })}/consents`, { fill: String(fill) })

const linked = async (owner: TestOwner, chat: number): Promise<void> => {
  const page = await owner.client.change("offer_chat", {})
  const [, code = ""] = /<code>\/start ([\w-]+)<\/code>/.exec(page.text) ?? []
  telegram.write(chat, `/start ${code}`)
  await telegram.heard(chat, "This chat is linked.")
}

describe("an entry that an owner has to allow", () => {
  it("is filled once the owner has tapped, whom the held request waits for", async () => {
    const of = await aVault()
    const entry = await written(of, { label: "Bank" })
    expect(entry.consent).toBe("owner")
    const fill = await asked(of, login(entry))
    expect(fill).toEqual({ fill_id: expect.any(Number), consent: "pending", expires_at: expect.any(String) })
    expect((await of.ask("GET", `${FILL}/${fill.fill_id}`)).status).toBe(202)
    expect(outcome(await of.ask("POST", `${FILL}/${fill.fill_id}/result`, { status: "done" }))).toBe(
      "409 consent_pending"
    )
    const held = of.ask("GET", `${FILL}/${fill.fill_id}?wait_seconds=25`)
    const page = await of.owner.client.get(of.owner.page(of))
    expect(page.text).toContain("It needs your consent")
    expect(page.text).toContain(SHOP)
    const home = await waitFor(async () => {
      const { text } = await of.owner.client.get("/owner")
      return text.includes("A fill waits for your consent") ? text : null
    })
    expect(home).toContain(`href="${of.owner.page(of)}"`)
    const allowed = await consents(of, fill.fill_id, "allow")
    expect([allowed.status, noticeOf(await of.owner.client.follow(allowed))]).toEqual([303, "You have allowed it."])
    const opened = await held
    expect([opened.status, dataOf(opened)]).toEqual([
      200,
      expect.objectContaining({
        fill_id: fill.fill_id,
        consented: true,
        ciphertext: expect.stringMatching(/^hxv1\./),
        entry: expect.objectContaining({ consent: "owner" })
      })
    ])
    expect((await told(of, "vault.consent")).payload).toMatchObject({
      fill_id: fill.fill_id,
      entry_id: entry.id,
      origin: SHOP,
      allowed: true
    })
    expect(outcome(await of.ask("POST", `${FILL}/${fill.fill_id}/result`, { status: "done" }))).toBe("200")
    await waitFor(async () => (await journal(of)).find(({ event, status }) => event === "fill" && status === "done"))
    await waitFor(async () => !(await of.owner.client.get("/owner")).text.includes("A fill waits for your consent"))
  })

  it("that is declined is refused, and not asked for again at once; nothing of it leaves", async () => {
    const of = await aVault()
    const entry = await written(of)
    const { fill_id } = await asked(of, login(entry))
    const path = `${FILL}/${fill_id}`
    const [began, held] = [Date.now(), of.ask("GET", `${path}?wait_seconds=25`)]
    await consents(of, fill_id, "decline")
    expect(outcome(await held)).toBe("403 owner_declined")
    // Woken by it, not at the end of its time.
    expect(Date.now() - began).toBeLessThan(24_000)
    expect(outcome(await of.ask("GET", `${path}?wait_seconds=5`))).toBe("403 owner_declined")
    expect(outcome(await of.ask("POST", `${path}/result`, { status: "done" }))).toBe("404 not_found")
    expect(outcome(await of.ask("POST", FILL, login(entry)))).toBe("403 owner_declined")
    await waitFor(async () =>
      (await journal(of)).find(
        ({ event, status, code }) => [event, status, code].join() === "fill,failed,owner_declined"
      )
    )
  })

  it.each([
    ["allow", "decline", "200"],
    ["decline", "allow", "403 owner_declined"]
  ])(
    "stays as the first tap left it (%s), and the other button of the same form is told so",
    async (act, then, was) => {
      const of = await aVault()
      const { fill_id } = await asked(of, login(await written(of)))
      const form = await of.owner.client.form(of.owner.page(of), `${of.owner.page(of)}/consents`)
      const tapped = async (button: string) =>
        noticeOf(await of.owner.client.follow(await of.owner.client.post(form.action, { ...form.fields, act: button })))
      const notices = {
        allow: "You have allowed it.",
        decline: "You have declined it: nothing of it was used."
      } as const
      for (let times = 0; times < 2; times++) expect(await tapped(act)).toBe(notices[act as "allow" | "decline"])
      expect(await tapped(then)).toContain("It waits no more")
      expect(outcome(await of.ask("GET", `${FILL}/${fill_id}`))).toBe(was)
    }
  )

  it("ends unanswered after its time, and no late tap brings it back", async () => {
    const of = await aVault(hasty)
    const { fill_id } = await asked(of, login(await written(of)))
    const form = await of.owner.client.form(of.owner.page(of), `${of.owner.page(of)}/consents`)
    const ended = await waitFor(async () => {
      const answer = await of.ask("GET", `${FILL}/${fill_id}`)
      return answer.status === 202 ? null : answer
    })
    expect(outcome(ended)).toBe("409 fill_expired")
    const late = await of.owner.client.post(form.action, { ...form.fields, act: "allow" })
    expect(noticeOf(await of.owner.client.follow(late))).toContain("It waits no more")
    expect(outcome(await of.ask("GET", `${FILL}/${fill_id}`))).toBe("409 fill_expired")
    await waitFor(async () => (await journal(of)).find(({ event, status }) => event === "fill" && status === "expired"))
  })

  it("is not filled by an agent that was suspended while it waited", async () => {
    const of = await aVault()
    const { fill_id } = await asked(of, login(await written(of)))
    await operate(service.system, ["agent", "suspend", of.agent.handle, "--reason", "a test"])
    await consents(of, fill_id, "allow")
    const answer = await of.ask("GET", `${FILL}/${fill_id}`)
    expect([outcome(answer), answer.text.includes("hxv1.")]).toEqual(["403 agent_suspended", false])
    await operate(service.system, ["agent", "reinstate", of.agent.handle])
    expect((await of.ask("GET", `${FILL}/${fill_id}`)).status).toBe(200)
  })

  it("of a card begins above a sum", async () => {
    const of = await aVault()
    const card = await written(of, { kind: "card", origins: [] }, { above: "20", currency: "EUR" })
    expect(card.consent).toEqual({ above: "20.00", currency: "EUR" })
    const pay = (amount: string) => ({ entry_id: card.id, action: "pay", origin: SHOP, amount, currency: "EUR" })
    const small = await of.ask("POST", FILL, pay("20"))
    expect([small.status, dataOf<{ readonly consented: boolean }>(small).consented]).toEqual([200, false])
    const { fill_id } = await asked(of, pay("20.01"))
    expect((await of.owner.client.get(of.owner.page(of))).text).toContain("<strong>20.01 EUR</strong>")
    // It counts while it waits.
    expect(outcome(await of.ask("POST", FILL, pay("40")))).toBe("403 amount_over_day")
    await consents(of, fill_id, "allow")
    expect((await of.ask("GET", `${FILL}/${fill_id}`)).status).toBe(200)
  })

  it("says what is wrong with a consent", async () => {
    const of = await aVault()
    const card = { kind: "card", origins: [] } as const
    const fieldOf = async (wanted: Wanted, consent: unknown) => {
      const answer = await writing(of, wanted, consent)
      return [outcome(answer), detailsOf(answer)["field"]]
    }
    expect(await fieldOf({}, { above: "1", currency: "EUR" })).toEqual(["422 validation_error", "consent"])
    expect(await fieldOf(card, { above: "1", currency: "USD" })).toEqual(["422 validation_error", "consent.currency"])
    expect(await fieldOf(card, { above: "1.001", currency: "EUR" })).toEqual(["422 validation_error", "consent.above"])
    expect((await writing(of, {}, "agent")).status).toBe(422)
  })

  it("is refused where the agent has no owner, and is nobody's to allow who does not carry it", async () => {
    const [of, other] = [await aVault(), await aVault()]
    const { fill_id } = await asked(of, login(await written(of)))
    const form = await of.owner.client.form(of.owner.page(of), `${of.owner.page(of)}/consents`)
    const foreign = await other.owner.client.post(form.action, { ...form.fields, act: "allow" })
    expect([foreign.status < 300, (await of.ask("GET", `${FILL}/${fill_id}`)).status]).toEqual([false, 202])
    const alone = await openVault(await anAgent(service.edges))
    const refused = await writing(alone, {}, "owner")
    expect([outcome(refused), detailsOf(refused)]).toEqual(["409 owner_none", { field: "consent" }])
  })

  it("is allowed by a button of the chat", async () => {
    const of = await aVault()
    const chat = 7_000_000_000_011
    await linked(of.owner, chat)
    const { fill_id } = await asked(of, login(await written(of, { label: "Tax office" })))
    const said = await telegram.heard(chat, `Fill ${fill_id} of ${of.agent.handle}`)
    expect(said.text).toContain(`log in at ${SHOP}`)
    expect(said.text).toContain("Tax office")
    expect(said.buttons.map(({ text }) => text)).toEqual(["Allow", "Decline"])
    telegram.press(said, said.buttons[0]?.callback_data ?? "")
    const opened = await of.ask("GET", `${FILL}/${fill_id}?wait_seconds=25`)
    expect(opened.status).toBe(200)
    await waitFor(() => Promise.resolve(telegram.pressed.includes("You have allowed it.") || null))
    telegram.press(said, said.buttons[1]?.callback_data ?? "")
    await waitFor(() => Promise.resolve(telegram.pressed.includes("That is not open to you, or no longer.") || null))
  })
})

describe("the captcha before a fill", () => {
  const opened = async (of: OwnedVault): Promise<{ readonly fill_id: number; readonly expires_at: string }> =>
    dataOf(await of.ask("POST", FILL, login(await written(of, {}, null))))
  const relay = async (of: OwnedVault, more: object) =>
    of.ask("POST", `${VAULT}/captcha`, { ...(await captchaBody({ context: "Before the login" })), ...more })

  it("goes to the owner in at most three rounds, and the fill waits for it", async () => {
    const of = await aVault()
    const { fill_id } = await opened(of)
    expect(outcome(await relay(of, { fill_id, round: 2 }))).toBe("422 validation_error")
    // No picture costs no round.
    const none = await relay(of, { fill_id, round: 1, image_base64: "bm9uZQ==" })
    expect(outcome(none)).toBe("422 captcha_image_unsuitable")
    const sent = dataOf<Captcha>(await relay(of, { fill_id, round: 1 }))
    expect(sent).toMatchObject({ state: "pending", origin: SHOP, context: "Before the login" })
    const solve = { text: "XK7" }
    await of.owner.client.fill(`/owner/captcha/${sent.id}`, solve)
    const path = `${VAULT}/captcha/${sent.id}`
    expect(dataOf<Captcha>(await of.ask("GET", `${path}?wait_seconds=25`))).toMatchObject({
      state: "answered",
      answer: solve
    })
    const own = await captchaSent(of)
    expect(outcome(await of.ask("GET", `${VAULT}/captcha/${own.id}`))).toBe("404 not_found")
    expect(outcome(await of.ask("DELETE", `${VAULT}/captcha/${own.id}`))).toBe("404 not_found")
    expect(dataOf<Captcha>(await of.ask("POST", `${path}/result`, { result: "failed" }))).toMatchObject({
      state: "failed"
    })
    const second = dataOf<Captcha>(await relay(of, { fill_id, round: 2 }))
    expect(dataOf<Captcha>(await of.ask("DELETE", `${VAULT}/captcha/${second.id}`)).state).toBe("cancelled")
    expect(outcome(await relay(of, { fill_id, round: 2 }))).toBe("422 validation_error")
    expect((await relay(of, { fill_id, round: 3 })).status).toBe(201)
    expect(outcome(await relay(of, { fill_id, round: 4 }))).toBe("409 captcha_unsolved")
    expect(outcome(await of.ask("POST", `${FILL}/${fill_id}/result`, { status: "done" }))).toBe("200")
    expect(outcome(await relay(of, { fill_id, round: 1 }))).toBe("404 not_found")
  })

  it("is refused at once where there is no owner, and of a fill that is over", async () => {
    const alone = await openVault(await anAgent(hasty.edges))
    const ask = asHolder(hasty, await issueToken(hasty, alone.agent.id))
    const { fill_id } = dataOf<AskedFill>(await ask("POST", FILL, login(await written(alone, {}, null))))
    const body = { ...(await captchaBody()), fill_id, round: 1 }
    expect(outcome(await ask("POST", `${VAULT}/captcha`, body))).toBe("409 captcha_needs_human")
    const of = await aVault(hasty)
    const fill = await opened(of)
    const over = await waitFor(async () => {
      const answer = await of.ask("GET", `${FILL}/${fill.fill_id}`)
      return answer.status === 200 ? null : answer
    })
    expect(outcome(over)).toBe("409 fill_expired")
    expect(outcome(await relay(of, { fill_id: fill.fill_id, round: 1 }))).toBe("409 fill_expired")
  })
})

describe("an owner's page", () => {
  it("shows what is there and how it is used, never a secret; an entry is revoked by its word", async () => {
    const of = await aVault()
    const label = '<b>"Visa"</b>'
    const card = await written(of, { kind: "card", origins: [], label }, { above: "20", currency: "EUR" })
    const entry = await written(of, { label: "Forum" }, null)
    const { text } = await of.owner.client.get(of.owner.page(of))
    for (const words of [
      "For any shop.",
      "At most 50.00 EUR a payment, 80.00 EUR and 3 times a day.",
      "Payments above 20.00 EUR wait for an owner.",
      "Never used."
    ])
      expect(text).toContain(words)
    expect(text).toContain("&lt;b&gt;")
    for (const never of ["<b>", "hxv1.", "correct horse", of.vault.public_key]) expect(text).not.toContain(never)
    const revoke = (confirm: string) =>
      of.owner.client.fill(of.owner.page(of), { confirm }, `${of.owner.page(of)}/entries`, { entry: String(entry.id) })
    expect((await revoke("yes")).status).toBe(422)
    const done = await revoke(" Revoke ")
    expect(noticeOf(await of.owner.client.follow(done))).toContain("That entry is revoked")
    expect(outcome(await of.client.call("GET", `${VAULT}/entries/${entry.id}`))).toBe("404 entry_unknown")
    expect(outcome(await of.client.call("GET", `${VAULT}/entries/${card.id}`))).toBe("200")
    await waitFor(async () =>
      (await journal(of)).find(({ event, actor }) => event === "entry_deleted" && actor === "owner")
    )
    const other = await newOwner(service.edges)
    expect((await other.client.get(of.owner.page(of))).status).toBe(404)
  })
})
