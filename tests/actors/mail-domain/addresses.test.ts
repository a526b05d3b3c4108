/** Addresses at an agent's own domain go with it; all others are for good (spec 4.9). */
import { describe, expect, test } from "vitest"
import { evolveMailAddress, type MailAddress, MailAddressEvent } from "../../../actors/mail/address/actor.ts"
import { decideClose, decideOpen } from "../../../actors/mail/mailer/decide.ts"
import { evolveMailer, type MailerEvent, NO_MAIL } from "../../../actors/mail/mailer/state.ts"
import { eventsOf } from "../../../actors/engine/events.ts"
import type { Decision } from "../../../actors/engine/definition.ts"
import { DnsQuestions } from "../../../actors/mail/dns.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { readMailSettings } from "../../../schemas/mail/settings.ts"

const BOX = { local_part: "info", domain: "acme.example", label: null }

const after = (
  { companions = [] }: Extract<Decision, { readonly companions?: unknown }>,
  before: MailAddress
): MailAddress =>
  companions
    .filter(({ kind }) => kind === "mail_address")
    .flatMap(({ events }) => eventsOf(MailAddressEvent, { events } as never))
    .reduce<MailAddress>(evolveMailAddress, before)

/** Of an address that `agent` asks for, as it stands. */
const open = (agent: string, state: MailAddress, claim?: number) =>
  decideOpen(10)(NO_MAIL, BOX, {
    id: agent,
    facts: { mailbox: 7, address: { seq: 1, state }, chosen: "c", ...(claim === undefined ? {} : { claim }) }
  })

const done = <One extends Decision>(decision: One): Exclude<One, { readonly refused: unknown }> => {
  if ("refused" in decision) throw new Error(decision.refused.code)
  return decision as Exclude<One, { readonly refused: unknown }>
}

/** Opened, and closed again. */
const left = (claim?: number): readonly [MailAddress, MailAddress] => {
  const opened = done(open("ada", null, claim))
  const taken = after(opened, null)
  const mailer = opened.events.reduce<Parameters<typeof decideClose>[0]>(
    (state, event: MailerEvent) => evolveMailer(state, event, { at: 0 }),
    NO_MAIL
  )
  const facts = { closing: [{ mailbox: 7, boxSeq: 1, addressSeq: 1 }] }
  return [taken, after(done(decideClose(mailer, [7], { id: "ada", at: 0, facts })), taken)]
}

describe("an address", () => {
  test("of the service's domain is for good", () => {
    const [taken, closed] = left()
    expect([taken, closed]).toEqual([
      { agent: "ada", mailbox: 7 },
      { agent: "ada", mailbox: null }
    ])
    for (const state of [taken, closed])
      expect(open("bob", state)).toMatchObject({ refused: { code: "email_address_taken" } })
    expect(open("ada", closed)).not.toHaveProperty("refused")
  })

  test("of an agent's own goes to the next who has the domain, once its mailbox is closed", () => {
    const [taken, closed] = left(3)
    expect([taken, closed]).toEqual([
      { agent: "ada", mailbox: 7, custom: true },
      { agent: "ada", mailbox: null, custom: true }
    ])
    expect(open("bob", taken, 4)).toMatchObject({ refused: { code: "unavailable" } })
    expect(done(open("bob", closed, 4)).events).toMatchObject([{ mailbox: 7, address: "info@acme.example", claim: 4 }])
    expect(open("ada", taken, 3)).toMatchObject({ refused: { code: "email_mailbox_exists" } })
  })
})

describe("HUB_MAIL_HOST, HUB_DNS_SERVERS", () => {
  const read = (more: Readonly<Record<string, string>>) =>
    readMailSettings({ HUB_MAIL_PROVIDER: "smtp", HUB_MAIL_DOMAIN: "mail.ours.example", ...more })

  test("is the domain where nothing is said", () => {
    expect(read({})).toMatchObject({ settings: { host: "mail.ours.example" } })
    expect(read({ HUB_MAIL_HOST: "MX1.Ours.Example." })).toMatchObject({ settings: { host: "mx1.ours.example" } })
  })

  test.each(["mx", "192.0.2.1", "a b.example", "mx.example:25"])("%s is none", (host) => {
    expect(read({ HUB_MAIL_HOST: host })).toMatchObject({ ok: false, problem: expect.stringMatching(/^HUB_MAIL_HOST/) })
  })

  test("name servers are addresses that a resolver takes", () => {
    const servers = ["192.0.2.53", "192.0.2.53:5353", "[2001:db8::1]", "[::1]:53"]
    expect(read({ HUB_DNS_SERVERS: servers.join(", ") })).toMatchObject({ settings: { dnsServers: servers } })
    const questions = () => new DnsQuestions({ dnsServers: servers }, LIMITS.service.mail)
    expect(questions).not.toThrow()
  })

  test.each(["ns.example", "999.0.2.1", "192.0.2.1:0", "192.0.2.1:70000", "[::1::2]", "2001:db8::1"])(
    "%s is no name server",
    (server) => {
      expect(read({ HUB_DNS_SERVERS: server })).toMatchObject({
        ok: false,
        problem: expect.stringMatching(/^HUB_DNS_SERVERS/)
      })
    }
  )
})
