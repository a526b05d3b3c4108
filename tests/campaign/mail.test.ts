/** Mail that comes in while processes die: each message is stored once and told of once, or stays with its sender. */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Notification } from "../../schemas/notification/api.ts"
import type { ListedMail } from "../../schemas/mail/records.ts"
import { waitFor } from "../harness/index.ts"
import { deliver, message } from "../support/mail.ts"
import { dataOf } from "../support/outcome.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, type Carried } from "../support/sponsorship.ts"

const DOMAIN = "mail.hub.example"
const MESSAGES = 150
const SENDERS = 6
const PAGE = 100

let service: TestService
beforeAll(async () => {
  service = await testService({
    processes: true,
    edges: 1,
    actors: 2,
    mail: DOMAIN,
    autoRestart: true,
    env: { HUB_DNS_SERVERS: "127.0.0.1:9" }
  })
})
afterAll(() => service?.stop())

const all = async <A>({ client }: Carried, path: string): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for (let page = 1; ; page++) {
    const items = dataOf<ReadonlyArray<A>>(await client.call("GET", `${path}?per_page=${PAGE}&page=${page}`))
    found.push(...items)
    if (items.length < PAGE) return found
  }
}

test("each message is received once, whoever dies in between", async () => {
  const agent = await anAgent(service.edges)
  await agent.client.call("POST", "/api/v1/email/mailboxes", { body: {} })
  const to = `${agent.agent.handle}@${DOMAIN}`
  const subjects = Array.from({ length: MESSAGES }, (_, n) => `message ${n}`)
  const waiting = subjects.map((subject) => message({ to, subject, body: "x".repeat(2000) }))
  const mail = service.system.mail
  if (mail === undefined) throw new Error("there is no mail")
  let sent = 0
  /** As a sender's queue does: what was not taken comes again. */
  const sender = async (): Promise<void> => {
    for (let raw = waiting.pop(); raw !== undefined; raw = waiting.pop()) {
      const one = raw
      await waitFor(() => deliver(mail.port, { to, raw: one }).catch(() => null), { describe: "a message is taken" })
      sent++
    }
  }
  const victims = [mail, service.system.actors[0], mail, service.system.actors[1], service.system.nats, mail]
  const killing = async (): Promise<void> => {
    for (const [index, victim] of victims.entries()) {
      await waitFor(() => sent >= ((index + 1) * MESSAGES) / (victims.length + 2) || null, {
        describe: "some are taken"
      })
      await victim?.kill()
    }
  }
  await Promise.all([killing(), ...Array.from({ length: SENDERS }, sender)])
  const listed = await waitFor(
    async () => {
      const found = await all<ListedMail>(agent, "/api/v1/email/messages").catch(() => [])
      return found.length >= MESSAGES ? found : null
    },
    { describe: "all are listed" }
  )
  expect(listed.map(({ subject }) => subject).toSorted()).toEqual(subjects.toSorted())
  const told = await waitFor(
    async () => {
      const found = await all<Notification>(agent, "/api/v1/me/notifications").catch(() => [])
      const ofMail = found.filter(({ type }) => type === "email.received")
      return ofMail.length >= MESSAGES ? ofMail : null
    },
    { describe: "all are told of" }
  )
  const ids = told.map(({ payload }) => payload["message_id"])
  expect(ids.toSorted()).toEqual(listed.map(({ message_id }) => message_id).toSorted())
})
