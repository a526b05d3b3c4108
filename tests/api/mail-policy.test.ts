/** Mail as an operator restricts it: agents need owners, and the disk needs room (contract 16, 20). */
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Mailbox } from "../../schemas/mail/records.ts"
import { waitFor } from "../harness/index.ts"
import { deliver, message } from "../support/mail.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { tokensTo } from "../support/outbox.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, aPerson, answer, type Carried, declared, withdraw } from "../support/sponsorship.ts"

const DOMAIN = "mail.hub.example"
const MAILBOXES = "/api/v1/email/mailboxes"
/** More than any disk has. */
const ENDLESS = 2 ** 52

let service: TestService
beforeAll(async () => {
  service = await testService({
    edges: 1,
    actors: 2,
    mail: DOMAIN,
    env: { HUB_DNS_SERVERS: "127.0.0.1:9", HUB_MAIL_REQUIRE_OWNER: "true" },
    limits: { "limits.email.free_disk_min_bytes": ENDLESS }
  })
})
afterAll(() => service?.stop())

const open = ({ client }: Carried, local_part: string) => client.call("POST", MAILBOXES, { body: { local_part } })

it("an agent opens a mailbox once somebody has declared it, it has confirmed, and the address is verified", async () => {
  const agent = await anAgent(service.edges)
  const box = (suffix: string) => open(agent, `${agent.agent.handle}.${suffix}`)
  expect(outcome(await box("a"))).toBe("403 email_owner_rule")
  const person = await aPerson(service.edges)
  const { id } = await declared(person, agent)
  const [token = ""] = await tokensTo(service, person.email, "/owner/verify")
  dataOf(await answer(agent, id, "confirm"))
  expect(outcome(await box("a"))).toBe("403 email_owner_rule")
  dataOf(await person.call("POST", "/humans/verify-email", { token }))
  // The agent is told of it behind the answer.
  const opened = await waitFor(async () => {
    const tried = await box("a")
    return tried.status === 201 ? dataOf<Mailbox>(tried) : null
  })
  expect(opened.status).toBe("active")
  expect(outcome(await withdraw(person, agent.agent.handle))).toBe("200")
  const refused = await waitFor(async () => {
    const tried = outcome(await box("a"))
    return tried === "409 email_mailbox_exists" ? null : tried
  })
  expect(refused).toBe("403 email_owner_rule")
})

it("one whose owner is verified and waits for its yes opens none", async () => {
  const agent = await anAgent(service.edges)
  const person = await aPerson(service.edges)
  const [token = ""] = await tokensTo(service, person.email, "/owner/verify")
  dataOf(await person.call("POST", "/humans/verify-email", { token }))
  await declared(person, agent)
  expect(outcome(await open(agent, agent.agent.handle))).toBe("403 email_owner_rule")
})

it("with too little room on the disk, senders are told to come again", async () => {
  const port = service.system.mail?.port ?? 0
  const to = `anybody@${DOMAIN}`
  await expect(deliver(port, { to, raw: message({ to }) })).rejects.toThrow(/452 4\.3\.1/)
})
