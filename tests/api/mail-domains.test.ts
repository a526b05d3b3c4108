/** Agents' own mail domains, over two edges, two actor nodes and a name server (spec 2.9, 3.6, 4.9; contract 20). */
import { createPrivateKey, createPublicKey } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { domainId } from "../../schemas/mail-domain/id.ts"
import type { MailDomain } from "../../schemas/mail-domain/records.ts"
import { waitFor } from "../harness/index.ts"
import { nameServer, type NameServer, type Zone } from "../support/dns.ts"
import { operate } from "../support/hub.ts"
import { deliver, message } from "../support/mail.ts"
import {
  active,
  declare,
  declared,
  DOMAINS,
  freshDomain,
  looked,
  mailboxesOf,
  openAt,
  publish,
  release,
  verify
} from "../support/mail-domains.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import { foundIn } from "../support/planted.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, type Carried } from "../support/sponsorship.ts"

const OURS = "mail.ours.example"
const zone: Zone = {}

let service: TestService
let dns: NameServer

beforeAll(async () => {
  dns = await nameServer(zone)
  // The second one is not there: what it does not say counts for nothing.
  const env = { HUB_DNS_SERVERS: `${dns.address},127.0.0.1:9` }
  service = await testService({ metrics: true, edges: 2, actors: 2, mail: OURS, env })
})
afterAll(async () => {
  await service?.stop()
  await dns?.stop()
})

const agent = (): Promise<Carried> => anAgent(service.edges)
const port = () => service.system.mail?.port ?? 0
const send = (to: string) => deliver(port(), { to, raw: message({ to }) })

describe("declared, a domain", () => {
  it("tells its records, is listed, and active once they stand", async () => {
    const [ada, domain] = [await agent(), freshDomain()]
    const first = await declared(ada, domain.toUpperCase())
    expect(first).toMatchObject({
      domain,
      status: "pending",
      failing_since: null,
      downgraded_at: null,
      claim_expires_at: expect.any(String),
      last_check: null
    })
    expect(first.records).toEqual([
      {
        type: "TXT",
        name: `_hub-verification.${domain}`,
        value: expect.stringMatching(/^hub-verification=[0-9a-f]{40}$/),
        required: true,
        purpose: "verification"
      },
      { type: "MX", name: domain, value: OURS, priority: 10, required: true, purpose: "mx" },
      { type: "TXT", name: domain, value: `v=spf1 include:${OURS} ~all`, required: true, purpose: "spf" },
      {
        type: "TXT",
        name: `hub1._domainkey.${domain}`,
        value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[A-Za-z0-9+/=]{380,400}$/),
        required: true,
        purpose: "dkim"
      },
      { type: "TXT", name: `_dmarc.${domain}`, value: "v=DMARC1; p=quarantine", required: false, purpose: "dmarc" }
    ])
    const list = await ada.client.call("GET", DOMAINS)
    expect([dataOf(list), list.json.meta]).toEqual([[first], { page: 1, per_page: 20, total: 1, pages: 1 }])
    expect(dataOf(await ada.client.call("GET", `${DOMAINS}?page=2`))).toEqual([])
    expect(dataOf(await looked(ada, domain))).toEqual(first)

    publish(zone, first, ["mx", "dmarc"])
    const checked = dataOf<MailDomain>(await verify(ada, domain))
    expect(checked).toMatchObject({ status: "pending", last_check: { missing: [`MX ${domain}`], provider: null } })
    expect(checked.records.map(({ found }) => found)).toEqual([true, false, true, true, false])
    publish(zone, first, ["dmarc"])
    expect(dataOf(await verify(ada, domain))).toMatchObject({ status: "active", claim_expires_at: null })
    expect(dataOf(await ada.client.call("GET", "/api/v1/email"))).toMatchObject({ domains: 1, mailboxes: 0 })
  })

  it("of whose records nobody tells says so of none", async () => {
    const [ada, domain] = [await agent(), freshDomain()]
    const { records } = await declared(ada, domain)
    await dns.stop()
    try {
      const checked = dataOf<MailDomain>(await verify(ada, domain))
      expect(checked.records.map((one) => "found" in one)).toEqual(records.map(() => false))
      expect(checked).toMatchObject({ status: "pending", last_check: { missing: [] } })
    } finally {
      dns = await nameServer(zone, new Set(), Number(dns.address.split(":")[1]))
    }
  })

  it("is one of one, and one of three a day, over nodes", async () => {
    const ada = await agent()
    const names = Array.from({ length: 5 }, freshDomain)
    const answers = await Promise.all(names.map((name) => declare(ada, name)))
    expect(answers.map(outcome).toSorted()).toEqual(["201", ...Array(4).fill("409 email_domain_limit")])
    const { domain } = dataOf<MailDomain>(answers.find(({ status }) => status === 201) ?? (await looked(ada, "none")))
    expect(outcome(await declare(ada, domain))).toBe("409 email_domain_exists")
    expect(outcome(await release(ada, domain))).toBe("200")
    for (const one of [domain, freshDomain()]) {
      await declared(ada, one)
      expect(outcome(await release(ada, one))).toBe("200")
    }
    const fourth = await declare(ada, freshDomain())
    expect(outcome(fourth)).toBe("429 email_domain_declarations")
    expect(Number(fourth.headers["retry-after"])).toBe(detailsOf(fourth)["retry_after"])
    expect(detailsOf(fourth)).toMatchObject({ limit: 3, window_seconds: 86_400 })
  })

  it("is no other name than one", async () => {
    const ada = await agent()
    for (const name of [OURS, `x.${OURS}`, "ours.example", "192.0.2.1", "com", "co.uk", "printer.local"])
      expect([name, outcome(await declare(ada, name))]).toEqual([name, "403 email_domain_reserved"])
    for (const name of ["", "a b.example", "a..example", 7, null, "x".repeat(300)])
      expect([name, outcome(await declare(ada, name)), fieldOf(await declare(ada, name))]).toEqual([
        name,
        "422 validation_error",
        "domain"
      ])
    expect(dataOf(await ada.client.call("GET", DOMAINS))).toEqual([])
  })

  it("is nobody else's to see, verify or give up", async () => {
    const [ada, bob, domain] = [await agent(), await agent(), freshDomain()]
    await declared(ada, domain)
    for (const name of [domain, freshDomain(), "no domain", OURS])
      for (const answer of [
        await looked(bob, encodeURIComponent(name)),
        await verify(bob, encodeURIComponent(name)),
        await release(bob, encodeURIComponent(name), { confirm: name })
      ])
        expect([name, outcome(answer)]).toEqual([name, expect.stringMatching(/^404 email_domain_unknown$/)])
    expect(outcome(await release(ada, domain, {}))).toBe("422 confirmation_required")
    expect(outcome(await release(ada, domain, { confirm: freshDomain() }))).toBe("422 confirmation_required")
    expect(outcome(await release(ada, domain, { confirm: domain.toUpperCase() }))).toBe("200")
    expect(outcome(await looked(ada, domain))).toBe("404 email_domain_unknown")
  })
})

describe("at a domain", () => {
  it("that is active its agent opens any address, and mail comes in", async () => {
    const [ada, bob, domain] = [await agent(), await agent(), freshDomain()]
    expect(outcome(await openAt(ada, domain, "info"))).toBe("404 email_domain_unknown")
    const shown = await declared(ada, domain)
    expect(outcome(await openAt(ada, domain, "info"))).toBe("409 email_domain_not_ready")
    publish(zone, shown)
    expect(dataOf(await verify(ada, domain))).toMatchObject({ status: "active" })
    expect(outcome(await openAt(bob, domain, "info"))).toBe("403 email_domain_not_yours")
    expect(outcome(await openAt(ada, domain.toUpperCase(), "info"))).toBe("201")
    expect(outcome(await openAt(ada, domain, "postmaster"))).toBe("201")
    expect(outcome(await openAt(ada, domain, "info"))).toBe("409 email_mailbox_exists")
    expect(await send(`info+tag@${domain}`)).toContain("2.0.0")
    await expect(send(`nobody@${domain}`)).rejects.toThrow(/550/)
    await waitFor(async () =>
      dataOf<ReadonlyArray<object>>(await ada.client.call("GET", "/api/v1/email/messages")).at(0)
    )
  })

  it("that is given up mailboxes are closed, and the next who has it begins anew", async () => {
    const [ada, bob, domain] = [await agent(), await agent(), freshDomain()]
    await active(zone, ada, domain)
    expect(outcome(await openAt(ada, domain, "info"))).toBe("201")
    expect(outcome(await release(ada, domain))).toBe("200")
    expect(await mailboxesOf(ada)).toEqual([])
    await expect(send(`info@${domain}`)).rejects.toThrow(/550/)
    await active(zone, bob, domain)
    await expect(send(`info@${domain}`)).rejects.toThrow(/550/)
    expect(outcome(await openAt(bob, domain, "info"))).toBe("201")
    expect(await send(`info@${domain}`)).toContain("2.0.0")
    expect(outcome(await openAt(ada, domain, "info"))).toBe("403 email_domain_not_yours")
  })

  it("of an account that is deleted there is nothing left", async () => {
    const [ada, bob, domain] = [await agent(), await agent(), freshDomain()]
    await active(zone, ada, domain)
    expect(outcome(await openAt(ada, domain, "info"))).toBe("201")
    expect(outcome(await ada.client.call("DELETE", "/api/v1/me", { body: { confirm: ada.agent.handle } }))).toBe("200")
    await waitFor(async () => (await declare(bob, domain)).status === 201)
    await expect(send(`info@${domain}`)).rejects.toThrow(/550/)
  })
})

describe("another agent", () => {
  it("takes a domain that is not active over by its own proof", async () => {
    const [ada, bob, domain] = [await agent(), await agent(), freshDomain()]
    const first = await declared(ada, domain)
    const refused = await declare(bob, domain)
    expect(outcome(refused)).toBe("409 email_domain_taken")
    const { proof, unverified_claim_expires_at: until } = detailsOf(refused) as {
      proof: { type: string; name: string; value: string }
      unverified_claim_expires_at: string
    }
    expect(until).toBe(first.claim_expires_at)
    expect(proof).toMatchObject({ type: "TXT", name: `_hub-verification.${domain}` })
    expect(proof.value).not.toBe(first.records[0]?.value)
    expect(outcome(await declare(bob, domain))).toBe("409 email_domain_taken")
    zone[proof.name] = { TXT: [proof.value] }
    const second = await declared(bob, domain)
    expect(second).toMatchObject({ status: "pending", claim_expires_at: null })
    expect(second.records[0]?.value).toBe(proof.value)
    expect(second.records[3]?.value).not.toBe(first.records[3]?.value)
    expect(dataOf(await ada.client.call("GET", DOMAINS))).toEqual([])
    expect(outcome(await looked(ada, domain))).toBe("404 email_domain_unknown")
    expect(outcome(await declare(ada, freshDomain()))).toBe("201")
  })

  it("never gets one that is active", async () => {
    const [ada, bob, domain] = [await agent(), await agent(), freshDomain()]
    await active(zone, ada, domain)
    const refused = await declare(bob, domain)
    const { proof, ...others } = detailsOf(refused) as { proof: { name: string; value: string } }
    expect([outcome(refused), others]).toEqual(["409 email_domain_taken", {}])
    zone[proof.name] = { TXT: [...(zone[proof.name]?.TXT ?? []), proof.value] }
    expect(outcome(await declare(bob, domain))).toBe("409 email_domain_taken")
    expect(dataOf(await looked(ada, domain))).toMatchObject({ status: "active" })
  })

  it("is one at a time, however many prove it at once", async () => {
    const domain = freshDomain()
    const all = await Promise.all(Array.from({ length: 4 }, agent))
    const answers = await Promise.all(all.map((one) => declare(one, domain)))
    expect(answers.map(outcome).toSorted()).toEqual(["201", ...Array(3).fill("409 email_domain_taken")])
    const lists = await Promise.all(all.map((one) => one.client.call("GET", DOMAINS)))
    expect(lists.map((answer) => dataOf<ReadonlyArray<object>>(answer).length).toSorted()).toEqual([0, 0, 0, 1])
  })
})

describe("the key that mail is signed by", () => {
  const signing = (domain: string) => service.view.command("mail_domain.signing", domainId(domain), null)

  it("is a domain's own, told once it is active, and stands in the clear nowhere", async () => {
    const [ada, domain] = [await agent(), freshDomain()]
    await expect(signing(domain)).rejects.toMatchObject({ code: "not_found" })
    const shown = await declared(ada, domain)
    await expect(signing(domain)).rejects.toMatchObject({ code: "email_domain_not_ready" })
    publish(zone, shown)
    await verify(ada, domain)
    const { selector, private_key } = await signing(domain)
    const key = createPrivateKey(private_key)
    expect([selector, key.asymmetricKeyType, key.asymmetricKeyDetails?.modulusLength]).toEqual(["hub1", "rsa", 2048])
    const half = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64")
    expect(shown.records.find(({ purpose }) => purpose === "dkim")?.value).toBe(`v=DKIM1; k=rsa; p=${half}`)
    expect(await signing(domain)).toEqual({ selector, private_key })
    const [, line = ""] = private_key.split("\n")
    expect(await foundIn(service, [line])).toEqual([])
  })

  it("of the service's own domain is made when it is asked for, and told to its operator", async () => {
    expect(await service.view.command("mail_domain.ready", domainId(OURS), null)).toMatchObject({
      agent: null,
      ready: true
    })
    await expect(service.view.command("mail_domain.ready", domainId(freshDomain()), null)).rejects.toMatchObject({
      code: "not_found"
    })
    const { private_key } = await signing(OURS)
    const half = createPublicKey(private_key).export({ type: "spki", format: "der" }).toString("base64")
    const told = JSON.parse(await operate(service.system, ["mail", "domain", "--json"]))
    expect(told).toMatchObject({ domain: OURS })
    expect(told.records).toContainEqual(
      expect.objectContaining({ name: `hub1._domainkey.${OURS}`, value: `v=DKIM1; k=rsa; p=${half}` })
    )
    const lines = await operate(service.system, ["mail", "domain"])
    expect(lines).toContain(`${OURS}. MX 10 ${OURS}.`)
    expect(lines).toContain(`_dmarc.${OURS}. TXT "v=DMARC1; p=quarantine"   ; recommended`)
  })
})
