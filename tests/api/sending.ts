/** Agents that send mail, to each other and to a world of the tests, over two edges. */
import { randomUUID } from "node:crypto"
import type { Mailbox } from "../../schemas/mail/records.ts"
import type { SentMail } from "../../schemas/mail/sent.ts"
import { waitFor } from "../harness/index.ts"
import { type NameServer, nameServer } from "../support/dns.ts"
import { type MailHost, mailHost, type Taken } from "../support/mail-host.ts"
import { dataOf } from "../support/outcome.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, type Carried } from "../support/sponsorship.ts"

export const DOMAIN = "mail.hub.example"
const SEND = "/api/v1/email/send"
export const MESSAGES = "/api/v1/email/messages"

export let service: TestService
export let world: MailHost
let names: NameServer

export const openSending = async (
  limits: Readonly<Record<string, number>> = {},
  env: Readonly<Record<string, string>> = {},
  records: Parameters<typeof nameServer>[0] = {}
): Promise<void> => {
  world = await mailHost()
  names = await nameServer({
    "world.example": { MX: ["mx.world.example"] },
    "mx.world.example": { A: ["127.0.0.1"] },
    "inside.example": { MX: ["mx.inside.example"] },
    "mx.inside.example": { A: ["10.0.0.7"] },
    "silent.example": { MX: ["."] },
    ...records
  })
  service = await testService({
    metrics: true,
    edges: 2,
    actors: 2,
    mail: DOMAIN,
    env: { HUB_DNS_SERVERS: names.address, HUB_MAIL_ABUSE_CONTACT: "abuse@hub.example", HUB_LETTERS: "mail", ...env },
    limits: {
      "service.mail.mx_port": world.port,
      "limits.email.service_per_day": 100_000,
      "limits.email.pause_recipients_min": 100_000,
      "service.mail.send_answer_ms": 20_000,
      "limits.email.queue_retry_seconds.1": 1,
      "limits.email.queue_retry_seconds.2": 1,
      ...limits
    }
  })
}

export const closeSending = async (): Promise<void> => {
  await service?.stop()
  await world?.stop()
  await names?.stop()
}

export interface Sender extends Carried {
  readonly mailbox: Mailbox
}

export const aSender = async (): Promise<Sender> => {
  const agent = await anAgent(service.edges)
  const mailbox = dataOf<Mailbox>(await agent.client.call("POST", "/api/v1/email/mailboxes", { body: {} }))
  return { ...agent, mailbox }
}

export const send = ({ client, mailbox }: Sender, body: object, options: object = {}) =>
  client.call("POST", SEND, { body: { from: mailbox.id, subject: "Hello", text: "Hi.", ...body }, ...options })

export const look = async <A>({ client }: Carried, id: string): Promise<A> =>
  dataOf<A>(await client.call("GET", `${MESSAGES}/${id}`))

export const listed = async <A>({ client }: Carried, query = ""): Promise<ReadonlyArray<A>> =>
  dataOf<ReadonlyArray<A>>(await client.call("GET", `${MESSAGES}${query}`))

/** Each header in one line. */
export const unfolded = (taken: Taken | undefined): string => (taken?.raw ?? "").replaceAll(/\r\n[ \t]+/g, " ")

export const settled = (sender: Sender, id: string, status: string): Promise<SentMail> =>
  waitFor(
    async () => {
      const found = await look<SentMail>(sender, id)
      return found.status === status ? found : null
    },
    { describe: `${id} is ${status}` }
  )

/** Somebody of the world, whom nobody has written to. */
export const stranger = (): string => `${randomUUID()}@world.example`
