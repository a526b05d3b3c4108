/** Mail that agents send, over two edges and real SMTP (spec 3.6, 4.9; contract 20). */
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ListedMail, Mail, Mailbox, MailEvent, MailThread } from "../../schemas/mail/records.ts"
import type { ListedSent, SentMail } from "../../schemas/mail/sent.ts"
import { waitFor } from "../harness/index.ts"
import { deliver, message } from "../support/mail.ts"
import { type MailHost, mailHost } from "../support/mail-host.ts"
import { type NameServer, nameServer } from "../support/dns.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import { foundIn } from "../support/planted.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, type Carried, told } from "../support/sponsorship.ts"

const DOMAIN = "mail.hub.example"
let service: TestService
let world: MailHost
let names: NameServer

beforeAll(async () => {
  world = await mailHost()
  names = await nameServer({
    "world.example": { MX: ["mx.world.example"] },
    "mx.world.example": { A: ["127.0.0.1"] },
    "inside.example": { MX: ["mx.inside.example"] },
    "mx.inside.example": { A: ["10.0.0.7"] },
    "silent.example": { MX: ["."] }
  })
  service = await testService({
    edges: 2,
    actors: 2,
    mail: DOMAIN,
    env: { HUB_DNS_SERVERS: names.address, HUB_MAIL_ABUSE_CONTACT: "abuse@hub.example" },
    limits: {
      "service.mail.mx_port": world.port,
      "limits.email.service_per_day": 100_000,
      "limits.email.pause_recipients_min": 100_000,
      "limits.email.queue_retry_seconds.1": 1,
      "limits.email.queue_retry_seconds.2": 1
    }
  })
})
afterAll(async () => {
  await service?.stop()
  await world?.stop()
  await names?.stop()
})

const SEND = "/api/v1/email/send"
const MESSAGES = "/api/v1/email/messages"

interface Sender extends Carried {
  readonly mailbox: Mailbox
}

const aSender = async (): Promise<Sender> => {
  const agent = await anAgent(service.edges)
  const mailbox = dataOf<Mailbox>(await agent.client.call("POST", "/api/v1/email/mailboxes", { body: {} }))
  return { ...agent, mailbox }
}

const send = ({ client, mailbox }: Sender, body: object, options: object = {}) =>
  client.call("POST", SEND, { body: { from: mailbox.id, subject: "Hello", text: "Hi.", ...body }, ...options })

const look = async <A>({ client }: Carried, id: string): Promise<A> =>
  dataOf<A>(await client.call("GET", `${MESSAGES}/${id}`))

const listed = async <A>({ client }: Carried, query = ""): Promise<ReadonlyArray<A>> =>
  dataOf<ReadonlyArray<A>>(await client.call("GET", `${MESSAGES}${query}`))

const settled = (sender: Sender, id: string, status: string): Promise<SentMail> =>
  waitFor(
    async () => {
      const found = await look<SentMail>(sender, id)
      return found.status === status ? found : null
    },
    { describe: `${id} is ${status}` }
  )

describe("between agents", () => {
  it("arrives, is answered, and is one thread", async () => {
    const [ada, bob] = [await aSender(), await aSender()]
    const answer = await send(ada, { to: [`Bob <${bob.mailbox.address}>`], subject: "A question", text: "How are you?" })
    expect(answer.status).toBe(202)
    const sent = dataOf<ListedSent>(answer)
    expect(sent).toMatchObject({ status: "sent", box: "sent", subject: "A question" })
    const [came] = await waitFor(async () => {
      const all = await listed<ListedMail>(bob)
      return all.length > 0 ? all : null
    })
    expect(came).toMatchObject({
      from: { address: ada.mailbox.address },
      subject: "A question",
      verdicts: { spf: "PASS", dkim: "PASS", dmarc: "PASS" }
    })
    const reply = dataOf<ListedSent>(
      await send(bob, { to: [ada.mailbox.address], subject: "Re: A question", text: "Well.", in_reply_to: came?.message_id })
    )
    expect(reply.in_reply_to).toBe(came?.message_id)
    const [thread] = await waitFor(async () => {
      const all = dataOf<ReadonlyArray<MailThread>>(await ada.client.call("GET", "/api/v1/email/threads"))
      return all[0]?.messages === 2 ? all : null
    })
    expect(thread).toMatchObject({ subject: "A question", messages: 2, unread: 1 })
    const whole = await listed<ListedMail | ListedSent>(ada, `?thread=${thread?.id}`)
    expect(whole.map(({ box }) => box)).toEqual(["inbox", "sent"])
    expect(await look<SentMail>(ada, sent.message_id)).toMatchObject({ text: "How are you?", thread_id: thread?.id })
    expect((await settled(ada, sent.message_id, "delivered")).recipients[0]?.status).toBe("delivered")
  })
})
