/** What a mailbox keeps out: by its rules, by tags that have ended (contract 20). */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type ListedMail, type Mailbox, NO_RULES } from "../../schemas/mail/records.ts"
import type { MailTag } from "../../schemas/mail/tags.ts"
import { movableClock, waitFor } from "../harness/index.ts"
import { type NameServer, nameServer } from "../support/dns.ts"
import { deliver, message } from "../support/mail.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import { send as sendHttp } from "../support/http.ts"
import { foundIn } from "../support/planted.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, type Carried } from "../support/sponsorship.ts"

const DOMAIN = "mail.hub.example"
const MAILBOXES = "/api/v1/email/mailboxes"

let dns: NameServer
let service: TestService
const clock = movableClock()
beforeAll(async () => {
  dns = await nameServer({
    "proven.example": { TXT: ["v=spf1 ip4:127.0.0.1 -all"] },
    "_dmarc.proven.example": { TXT: ["v=DMARC1; p=reject"] }
  })
  service = await testService({
    metrics: true,
    clock,
    edges: 2,
    actors: 2,
    mail: DOMAIN,
    env: { HUB_DNS_SERVERS: dns.address },
    limits: { "limits.email.tags_per_mailbox": 3 }
  })
})
afterAll(async () => {
  await service?.stop()
  await dns?.stop()
})

const withMailbox = async () => {
  const agent = await anAgent(service.edges)
  const mailbox = dataOf<Mailbox>(await agent.client.call("POST", MAILBOXES, { body: {} }))
  const path = `${MAILBOXES}/${mailbox.id}`
  return {
    agent,
    mailbox,
    to: mailbox.address,
    change: (rules: object) => agent.client.call("PATCH", path, { body: { rules } }),
    make: (body: object) => agent.client.call("POST", `${path}/tags`, { body }),
    end: (tag: string) => agent.client.call("DELETE", `${path}/tags/${tag}`),
    tags: async (query = "") =>
      dataOf<ReadonlyArray<MailTag>>(await agent.client.call("GET", `${path}/tags${query}`)).map(({ tag }) => tag)
  }
}
const port = () => service.system.mail?.port ?? 0
const send = (to: string, { from = "a@example.com", subject = "Hello", body = "Hi." } = {}) =>
  deliver(port(), { from, to, raw: message({ from, to, subject, body }) })

/** Whom the list shows, and whom the journal says were dropped, and why. */
const seen = ({ client }: Carried, count: number) =>
  waitFor(async () => {
    const log = dataOf<ReadonlyArray<{ event: string; counterpart: string | null; detail: string | null }>>(
      await client.call("GET", "/api/v1/email/log")
    ).filter(({ event }) => event !== "opened")
    if (log.length < count) return null
    const kept = dataOf<ReadonlyArray<ListedMail>>(await client.call("GET", "/api/v1/email/messages"))
    const dropped = log.filter(({ event }) => event === "dropped")
    return {
      kept: kept.map(({ from }) => from.address),
      dropped: dropped.map(({ counterpart, detail }) => [counterpart, detail])
    }
  })

describe("rules", () => {
  it("that are gone let in the same message, if it comes again", async () => {
    const { agent, to, change } = await withMailbox()
    const from = "a@kept-out.example"
    const raw = message({ from, to, subject: "Twice" })
    const sent = () => deliver(port(), { from, to, raw })
    expect(outcome(await change({ block_senders: [from] }))).toBe("200")
    for (let times = 0; times < 2; times++) await sent()
    expect(await seen(agent, 1)).toMatchObject({ kept: [], dropped: [[from, expect.anything()]] })
    expect(outcome(await change({ block_senders: [] }))).toBe("200")
    for (let times = 0; times < 2; times++) await sent()
    await waitFor(async () => (await seen(agent, 2))?.kept.length === 1, { describe: "the message" })
    expect((await seen(agent, 2)).kept).toEqual([from])
  })

  it("are changed one by one, and refused by their field", async () => {
    const { change } = await withMailbox()
    const rules = async (wanted: object) => dataOf<Mailbox>(await change(wanted)).rules
    expect(await rules({ allow_senders: ["x.example"], only_codes: true })).toEqual({
      ...NO_RULES,
      allow_senders: ["x.example"],
      only_codes: true
    })
    expect(await rules({ require_dmarc: true })).toMatchObject({ allow_senders: ["x.example"], only_codes: true })
    expect(await rules({ allow_senders: [], only_codes: false })).toEqual({ ...NO_RULES, require_dmarc: true })
    expect(await rules({})).toEqual({ ...NO_RULES, require_dmarc: true })
    for (const [wrong, field] of [
      [{ allow_senders: ["no sender"] }, "rules.allow_senders.0"],
      [{ allow_senders: "x.example" }, "rules.allow_senders"],
      [{ allow_senders: Array.from({ length: 201 }, () => "x.example") }, "rules.allow_senders"],
      [{ require_dmarc: "yes" }, "rules.require_dmarc"],
      [{ only_codes: 1 }, "rules.only_codes"]
    ] as const)
      expect([wrong, fieldOf(await change(wrong))]).toEqual([wrong, field])
  })

  it("let in whom they name alone, and the journal says whom they kept out", async () => {
    const { agent, to, change } = await withMailbox()
    expect(outcome(await change({ allow_senders: ["shop.example"] }))).toBe("200")
    await send(to, { from: "a@news.shop.example" })
    await send(to, { from: "b@other.example" })
    expect(await seen(agent, 2)).toEqual({
      kept: ["a@news.shop.example"],
      dropped: [["b@other.example", "allow_senders"]]
    })
  })

  it("let in what is proven alone", async () => {
    const { agent, to, change } = await withMailbox()
    expect(outcome(await change({ require_dmarc: true }))).toBe("200")
    await send(to, { from: "a@proven.example" })
    await send(to, { from: "b@unproven.example" })
    expect(await seen(agent, 2)).toEqual({
      kept: ["a@proven.example"],
      dropped: [["b@unproven.example", "require_dmarc"]]
    })
  })

  it("let in what lets in alone", async () => {
    const { agent, to, change } = await withMailbox()
    expect(outcome(await change({ only_codes: true }))).toBe("200")
    await send(to, { from: "a@example.com", subject: "Your code", body: "Your verification code is 482913." })
    await send(to, { from: "b@example.com", subject: "News", body: "We have new chairs." })
    expect(await seen(agent, 2)).toEqual({ kept: ["a@example.com"], dropped: [["b@example.com", "only_codes"]] })
  })
})

describe("tags", () => {
  it("that are made take mail until they are ended, and then no more; others go on", async () => {
    const { agent, mailbox, to, make, end, tags } = await withMailbox()
    const made = dataOf<MailTag>(await make({ tag: "shop" }))
    const address = to.replace("@", "+shop@")
    expect(made).toEqual({ tag: "shop", address, expires_at: null })
    await send(address)
    expect(outcome(await end("shop"))).toBe("200")
    await expect(send(address)).rejects.toThrow(/550 5\.1\.1/)
    await expect(send(to.replace("@", "+SHOP@"))).rejects.toThrow(/550 5\.1\.1/)
    await send(to.replace("@", "+other@"))
    await send(to)
    const { kept } = await seen(agent, 3)
    expect(kept).toHaveLength(3)
    expect(outcome(await end("shop"))).toBe("404 not_found")
    expect(await tags()).toEqual([])
    const stranger = await anAgent(service.edges)
    const foreign = `${MAILBOXES}/${mailbox.id}/tags`
    expect(outcome(await stranger.client.call("POST", foreign, { body: {} }))).toBe("404 not_found")
    expect(outcome(await stranger.client.call("GET", foreign))).toBe("404 not_found")
    expect(outcome(await stranger.client.call("DELETE", `${foreign}/shop`))).toBe("404 not_found")
  })

  it("without a name are drawn, end by themselves, and are paged, newest first", async () => {
    const { to, make, tags } = await withMailbox()
    const before = Date.now()
    const short = dataOf<MailTag>(await make({ expires_in_seconds: 60 }))
    expect(short.tag).toMatch(/^[a-z0-9]{20}$/)
    expect(short.address).toBe(to.replace("@", `+${short.tag}@`))
    expect(Date.parse(short.expires_at ?? "")).toBeGreaterThanOrEqual(before + 60_000)
    const long = dataOf<MailTag>(await make({ expires_in_seconds: 3600 }))
    await send(long.address)
    clock.move(60_000)
    await expect(send(short.address)).rejects.toThrow(/550/)
    expect(await tags()).toEqual([long.tag])
    const named = dataOf<MailTag>(await make({ tag: "b.c-d" }))
    expect(await tags()).toEqual([named.tag, long.tag])
    expect(await tags("?per_page=1&page=2")).toEqual([long.tag])
  })

  it("are bounded, and refused by their field", async () => {
    const { make } = await withMailbox()
    for (let n = 0; n < 3; n++) expect(outcome(await make({}))).toBe("201")
    expect([outcome(await make({})), fieldOf(await make({ tag: "x" }))]).toEqual(["422 validation_error", "tag"])
    for (const [wrong, field] of [
      [{ tag: "A" }, "tag"],
      [{ tag: "a+b" }, "tag"],
      [{ tag: "" }, "tag"],
      [{ tag: "a@b" }, "tag"],
      [{ tag: "x".repeat(41) }, "tag"],
      [{ expires_in_seconds: 0 }, "expires_in_seconds"],
      [{ expires_in_seconds: 1.5 }, "expires_in_seconds"],
      [{ expires_in_seconds: 31_536_001 }, "expires_in_seconds"],
      [{ expires_in_seconds: "60" }, "expires_in_seconds"]
    ] as const)
      expect([wrong, fieldOf(await make(wrong))]).toEqual([wrong, field])
  })

  it("fit into an address, and stand in the clear nowhere", async () => {
    const { agent, make } = await withMailbox()
    const local_part = `${agent.agent.handle}.`.padEnd(60, "x")
    const long = dataOf<Mailbox>(await agent.client.call("POST", MAILBOXES, { body: { local_part } }))
    const tight = (tag: string) => agent.client.call("POST", `${MAILBOXES}/${long.id}/tags`, { body: { tag } })
    expect([outcome(await tight("abc")), fieldOf(await tight("abcd"))]).toEqual(["201", "tag"])
    expect(outcome(await make({ tag: "wisteria-4712" }))).toBe("201")
    expect(await foundIn(service, ["wisteria-4712"])).toEqual([])
  })
})

it("an address of the service's own is nobody's as a person, with a tag or without (contract 22, owners)", async () => {
  const { handle } = (await withMailbox()).agent.agent
  for (const email of [`${handle}@${DOMAIN}`, `${handle}+me@${DOMAIN.toUpperCase()}`, `nobody@${DOMAIN}`]) {
    const body = JSON.stringify({ name: "Ada", email, password: "a long and unusual passphrase" })
    const headers = { "content-type": "application/json" }
    const answer = await sendHttp({
      edge: service.edges[0] ?? "",
      method: "POST",
      path: "/api/v1/humans",
      headers,
      body
    })
    expect([email, fieldOf(answer)]).toEqual([email, "email"])
  }
})
