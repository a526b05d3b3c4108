/** Mail that goes out while processes die: nothing goes out twice, is left lying, or is told to be what it is not. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { ListedMail, Mailbox } from "../../schemas/mail/records.ts"
import type { ListedSent, SentMail } from "../../schemas/mail/sent.ts"
import { waitFor } from "../harness/index.ts"
import { type MailHost, mailHost } from "../support/mail-host.ts"
import { type NameServer, nameServer } from "../support/dns.ts"
import { dataOf } from "../support/outcome.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, type Carried } from "../support/sponsorship.ts"

const DOMAIN = "mail.hub.example"
const MESSAGES = 60
const SENDERS = 6
const PLENTY = 100_000

let service: TestService
let world: MailHost
let names: NameServer

beforeAll(async () => {
  world = await mailHost()
  names = await nameServer({ "world.example": { MX: ["mx.world.example"] }, "mx.world.example": { A: ["127.0.0.1"] } })
  service = await testService({
    processes: true,
    edges: 2,
    actors: 2,
    mail: DOMAIN,
    autoRestart: true,
    env: { HUB_DNS_SERVERS: names.address },
    limits: {
      "service.mail.mx_port": world.port,
      "service.mail.send_ack_wait_ms": 3000,
      "limits.email.service_per_day": PLENTY,
      "limits.email.send_per_hour": PLENTY,
      "limits.email.send_per_day": PLENTY,
      "limits.email.first_week_per_day": PLENTY,
      "limits.email.queue_retry_seconds.1": 1,
      "limits.email.queue_retry_seconds.2": 1,
      "limits.email.queue_retry_seconds.3": 1
    }
  })
})
afterAll(async () => {
  await service?.stop()
  await world?.stop()
  await names?.stop()
})

const withMailbox = async (): Promise<Carried & { readonly mailbox: Mailbox }> => {
  const agent = await anAgent(service.edges)
  return { ...agent, mailbox: dataOf(await agent.client.call("POST", "/api/v1/email/mailboxes", { body: {} })) }
}

const look = async ({ client }: Carried, id: string): Promise<SentMail> =>
  dataOf(await client.call("GET", `/api/v1/email/messages/${id}`))

test("each message goes out once, or is told not to be known of, whoever dies in between", async () => {
  const [ada, bob] = [await withMailbox(), await withMailbox()]
  const waiting = Array.from({ length: MESSAGES }, (_, n) => n)
  const ids = new Map<number, string>()
  const toOf = (n: number): string => (n % 2 === 0 ? `out${n}@world.example` : `${bob.agent.handle}+t${n}@${DOMAIN}`)
  const sender = async (): Promise<void> => {
    for (let n = waiting.pop(); n !== undefined; n = waiting.pop()) {
      const one = n
      const options = {
        body: { from: ada.mailbox.id, to: [toOf(one)], subject: `message ${one}`, text: "x" },
        headers: { "idempotency-key": `sending-${one}` }
      }
      const answer = await waitFor(
        async () => {
          const found = await ada.client.call("POST", "/api/v1/email/send", options).catch(() => null)
          return found?.status === 202 ? found : null
        },
        { describe: `message ${one} is taken` }
      )
      ids.set(one, dataOf<ListedSent>(answer).message_id)
    }
  }
  const { mail, actors, nats } = service.system
  const victims = [mail, actors[0], mail, nats, actors[1], mail]
  const killing = async (): Promise<void> => {
    for (const [index, victim] of victims.entries()) {
      await waitFor(() => ids.size >= ((index + 1) * MESSAGES) / (victims.length + 2) || null, {
        describe: "some are taken"
      })
      await victim?.kill()
    }
  }
  await Promise.all([killing(), ...Array.from({ length: SENDERS }, sender)])
  const ended = new Map<number, SentMail>()
  for (const [n, id] of ids) {
    const found = await waitFor(
      async () => {
        const one = await look(ada, id).catch(() => null)
        return one !== null && one.status !== "queued" ? one : null
      },
      { describe: `message ${n} comes to an end` }
    )
    ended.set(n, found)
  }
  expect(new Set(ids.values()).size).toBe(MESSAGES)
  for (const [n, { status, recipients }] of ended) {
    if (n % 2 === 1) expect([n, status]).toEqual([n, "delivered"])
    else {
      const copies = world.to(toOf(n)).length
      const isKnown = status === "delivered"
      expect([n, isKnown ? copies === 1 : copies <= 1]).toEqual([n, true])
      if (!isKnown) expect(recipients[0]).toMatchObject({ status: "failed", unknown: true })
    }
  }
  const subjects = await waitFor(async () => {
    const all = dataOf<ReadonlyArray<ListedMail>>(await bob.client.call("GET", "/api/v1/email/messages?per_page=100"))
    return all.length >= MESSAGES / 2 ? all.map(({ subject }) => subject) : null
  })
  const wanted = [...ids.keys()].filter((n) => n % 2 === 1).map((n) => `message ${n}`)
  expect(subjects.toSorted()).toEqual(wanted.toSorted())
  // What was counted is what was sent, whoever died.
  expect(dataOf(await ada.client.call("GET", "/api/v1/email"))).toMatchObject({ sending: { used_day: MESSAGES } })
})
