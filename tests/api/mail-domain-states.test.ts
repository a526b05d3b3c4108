/** What becomes of a mail domain with time: its daily check, its grace, the end of a claim (spec 3.6). */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { MailDomain } from "../../schemas/mail-domain/records.ts"
import type { Notification } from "../../schemas/notification/api.ts"
import { waitFor } from "../harness/index.ts"
import { nameServer, type NameServer, type Zone } from "../support/dns.ts"
import { deliver, message } from "../support/mail.ts"
import {
  active,
  declare,
  declared,
  freshDomain,
  looked,
  mailboxesOf,
  openAt,
  publish,
  verify
} from "../support/mail-domains.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, type Carried, told } from "../support/sponsorship.ts"

const OURS = "mail.ours.example"
const zone: Zone = {}
const broken = new Set<string>()

let dns: NameServer
beforeAll(async () => {
  dns = await nameServer(zone, broken)
})
afterAll(() => dns?.stop())

const withLimits = (limits: Readonly<Record<string, number>>) =>
  testService({
    mail: OURS,
    env: { HUB_DNS_SERVERS: dns.address },
    limits: Object.fromEntries(Object.entries(limits).map(([name, figure]) => [`limits.email.${name}`, figure]))
  })

const shown = async (agent: Carried, domain: string): Promise<MailDomain> => dataOf(await looked(agent, domain))

/** As it is once that holds. */
const until = (agent: Carried, domain: string, holds: (it: MailDomain) => boolean): Promise<MailDomain> =>
  waitFor(async () => {
    const it = await shown(agent, domain)
    return holds(it) ? it : null
  })

/** So many checks from now. */
const checked = async (agent: Carried, domain: string, times: number): Promise<MailDomain> => {
  let last = await shown(agent, domain)
  for (let count = 0; count < times; count++) {
    const { last_check: before } = last
    last = await until(agent, domain, (it) => it.last_check?.at !== before?.at)
  }
  return last
}

const types = async ({ client }: Carried): Promise<ReadonlyArray<string>> =>
  dataOf<ReadonlyArray<Notification>>(await client.call("GET", "/api/v1/me/notifications")).map(({ type }) => type)

describe("an active domain that is looked at", () => {
  let service: TestService
  beforeAll(async () => {
    service = await withLimits({ domain_check_seconds: 1 })
  })
  afterAll(() => service?.stop())

  it("fails where a record is gone, goes on meanwhile, and is well once it is back", async () => {
    const [ada, domain] = [await anAgent(service.edges), freshDomain()]
    const declaredAs = await active(zone, ada, domain)
    expect(outcome(await openAt(ada, domain, "info"))).toBe("201")
    publish(zone, declaredAs, ["mx"])
    const failing = await until(ada, domain, (it) => it.failing_since !== null)
    expect(failing).toMatchObject({ status: "active", last_check: { missing: [`MX ${domain}`] } })
    const notice = await told(ada, "email.domain_failing")
    expect(notice.payload).toMatchObject({
      domain,
      missing: [`MX ${domain}`],
      days_left: 3,
      api_url: expect.stringContaining(`/api/v1/email/domains/${domain}`)
    })
    const to = `info@${domain}`
    expect(await deliver(service.system.mail?.port ?? 0, { to, raw: message({ to }) })).toContain("2.0.0")
    const later = await checked(ada, domain, 2)
    expect(later).toMatchObject({ status: "active", failing_since: failing.failing_since })
    publish(zone, declaredAs)
    expect(await until(ada, domain, (it) => it.failing_since === null)).toMatchObject({
      status: "active",
      last_check: { missing: [] }
    })
    expect(await types(ada)).not.toContain("email.domain_downgraded")
  })

  it("is not judged where no name server answers", async () => {
    const [ada, domain] = [await anAgent(service.edges), freshDomain()]
    const { records } = await active(zone, ada, domain)
    for (const { name } of records) broken.add(name)
    await until(ada, domain, (it) => it.records.every((one) => !("found" in one)))
    expect(await checked(ada, domain, 2)).toMatchObject({ status: "active", failing_since: null })
    broken.clear()
    await until(ada, domain, (it) => it.records.every(({ found }) => found === true))
    expect(await types(ada)).not.toContain("email.domain_failing")
  })
})

describe("a domain whose grace is over", () => {
  let service: TestService
  beforeAll(async () => {
    service = await withLimits({ domain_check_seconds: 1, domain_grace_seconds: 2 })
  })
  afterAll(() => service?.stop())

  const send = (to: string) => deliver(service.system.mail?.port ?? 0, { to, raw: message({ to }) })

  /** Of one with a mailbox `info`. */
  const downgraded = async (leave: Parameters<typeof publish>[2]) => {
    const [ada, domain] = [await anAgent(service.edges), freshDomain()]
    const declaredAs = await active(zone, ada, domain)
    expect(outcome(await openAt(ada, domain, "info"))).toBe("201")
    publish(zone, declaredAs, leave)
    const found = await until(ada, domain, (it) => it.status === "pending")
    return { ada, domain, declaredAs, found }
  }

  it("is pending, takes no mail, and comes back by its agent", async () => {
    const { ada, domain, declaredAs, found } = await downgraded(["spf"])
    expect(found).toMatchObject({ failing_since: null, downgraded_at: expect.any(String), claim_expires_at: null })
    const notice = await told(ada, "email.domain_downgraded")
    expect(notice.payload).toMatchObject({ domain, missing: [`TXT ${domain}`] })
    expect(await types(ada)).toContain("email.domain_failing")
    await expect(send(`info@${domain}`)).rejects.toThrow(/450/)
    expect(await mailboxesOf(ada)).toEqual([`info@${domain}`])
    expect(outcome(await openAt(ada, domain, "sales"))).toBe("409 email_domain_not_ready")
    publish(zone, declaredAs)
    expect(dataOf(await verify(ada, domain))).toMatchObject({ status: "active", downgraded_at: null })
    expect(await send(`info@${domain}`)).toContain("2.0.0")
  })

  it("goes to another who proves it, and its mailboxes are closed", async () => {
    const { ada, domain, declaredAs } = await downgraded(["verification"])
    const bob = await anAgent(service.edges)
    const refused = await declare(bob, domain)
    expect(outcome(refused)).toBe("409 email_domain_taken")
    const { proof } = detailsOf(refused) as { proof: { name: string; value: string } }
    publish(zone, declaredAs, ["verification"])
    zone[proof.name] = { TXT: [proof.value] }
    const taken = await declared(bob, domain)
    await waitFor(async () => (await mailboxesOf(ada)).length === 0)
    await expect(send(`info@${domain}`)).rejects.toThrow(/550/)
    publish(zone, taken)
    expect(dataOf(await verify(bob, domain))).toMatchObject({ status: "active" })
    expect(outcome(await openAt(bob, domain, "info"))).toBe("201")
    expect(await send(`info@${domain}`)).toContain("2.0.0")
    expect(outcome(await verify(ada, domain))).toBe("404 email_domain_unknown")
  })
})

describe("a claim", () => {
  let service: TestService
  beforeAll(async () => {
    service = await withLimits({ domain_claim_seconds: 5 })
  })
  afterAll(() => service?.stop())

  it("that nobody proves ends, and leaves the domain to others", async () => {
    const [ada, bob, domain] = [await anAgent(service.edges), await anAgent(service.edges), freshDomain()]
    await declared(ada, domain)
    await waitFor(async () => (await looked(ada, domain)).status === 404)
    expect(dataOf(await ada.client.call("GET", "/api/v1/email/domains"))).toEqual([])
    expect(outcome(await declare(bob, domain))).toBe("201")
    expect(outcome(await declare(ada, freshDomain()))).toBe("201")
  })
})
