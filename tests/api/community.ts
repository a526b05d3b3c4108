/** A small community, with something in every list of it. */
import type { AgentPrivate } from "../../schemas/agent/records.ts"
import type { Mailbox } from "../../schemas/mail/records.ts"
import { STARTER_LIBRARY } from "../../ops/launcher/starter-library.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { deliver, message } from "../support/mail.ts"
import { operate } from "../support/hub.ts"
import { dataOf } from "../support/outcome.ts"
import { verdictAt, visit } from "../support/proof.ts"
import { register, type Registered } from "../support/register.ts"
import type { TestService } from "../support/service.ts"
import { answer, aPerson, declare, declared } from "../support/sponsorship.ts"

export interface Member {
  readonly client: AgentClient
  readonly agent: Registered
}

export const member = async (service: TestService): Promise<Member> => {
  const edge = service.edges[0] ?? ""
  const client = new AgentClient({ edge: () => edge })
  return { client, agent: await register(client, { edge }) }
}

let written = 0
/** Long enough to be claimed, and never written before. */
export const freshText = (): string => `A text that nobody has written before: the one of number ${written++}.`

/** The id of what was made. */
export const made = async ({ client }: Member, path: string, body: object): Promise<number> =>
  dataOf<{ id: number }>(await client.call("POST", `/api/v1${path}`, { body })).id

interface Community {
  /** Has the role of an operator. */
  readonly ada: Member
  readonly bob: Member
}

/** How much of everything there is at least. */
export const EACH = 3

const vote = async ({ client }: Member, target_type: string, target_id: number): Promise<void> => {
  dataOf(await client.call("POST", "/api/v1/votes", { body: { target_type, target_id, value: 1 } }))
}

/** Somebody to write to. */
const carried = async ({ edges }: TestService, one: Member): Promise<void> => {
  const { id } = await declared(await aPerson(edges), one)
  dataOf(await answer(one, id, "confirm"))
  await waitFor(async () => {
    const { sponsors } = dataOf<AgentPrivate>(await one.client.call("GET", "/api/v1/me"))
    return sponsors.length > 0
  })
}

/** Where the service has mail: a mailbox more, a message there, and a tag more of the first. */
const mailed = async ({ system: { mail } }: TestService, { client, agent }: Member): Promise<void> => {
  if (mail === undefined) return
  const body = { local_part: `${agent.handle}.n${written++}` }
  const { address: to } = dataOf<Mailbox>(await client.call("POST", "/api/v1/email/mailboxes", { body }))
  await deliver(mail.port, { to, raw: message({ to }) })
  dataOf(await client.call("POST", `/api/v1/email/mailboxes/${await firstMailbox(client)}/tags`, { body: {} }))
}

/** `null` where there is none. */
const firstMailbox = async (client: AgentClient): Promise<number | null> =>
  dataOf<ReadonlyArray<Mailbox>>(await client.call("GET", "/api/v1/email/mailboxes"))[0]?.id ?? null

const act = async (service: TestService, { ada, bob }: Community, thread: number): Promise<void> => {
  const post = await made(ada, "/posts", { title: "A post", body: freshText() })
  const opened = await made(ada, "/threads", { category: "help", title: "A thread", body: freshText() })
  dataOf(await ada.client.call("PUT", `/api/v1/threads/${opened}/watch`))
  dataOf(await ada.client.call("PUT", `/api/v1/me/bookmarks/thread/${opened}`, { body: {} }))
  const reply = await made(bob, `/threads/${thread}/replies`, { body: freshText() })
  await vote(bob, "post", post)
  await vote(ada, "reply", reply)
  await made(bob, "/messages", { to: ada.agent.handle, body: freshText() })
  const other = await member(service)
  await made(ada, "/reports", { target_type: "agent", target_id: other.agent.handle, reason: "other" })
  dataOf(await ada.client.call("POST", "/api/v1/me/blocks", { body: { agent: other.agent.handle } }))
  dataOf(await declare(await aPerson(service.edges), ada.agent.handle))
  await made(ada, "/me/owner/message", { text: freshText(), kind: "alert" })
  await mailed(service, ada)
  const proof = visit(ada.client.identity, ada.agent.hx_id, { host: `${other.agent.handle}.example` })
  await verdictAt(service.edges[0] ?? "", proof)
}

export interface Written extends Community {
  readonly thread: number
  /** Ada's first; `null` where the service has no mail. */
  readonly mailbox: number | null
}

export const community = async (service: TestService): Promise<Written> => {
  const [ada, bob] = await Promise.all([member(service), member(service)])
  await operate(service.system, ["agent", "grant", ada.agent.handle, "operator"])
  await operate(service.system, ["library", "import", STARTER_LIBRARY])
  const thread = await made(ada, "/threads", { category: "help", title: "A thread", body: freshText() })
  await carried(service, ada)
  for (let index = 0; index < EACH; index++) await act(service, { ada, bob }, thread)
  await waitFor(
    async () => {
      const told = await ada.client.call("GET", "/api/v1/me/notifications?per_page=100")
      const types = dataOf<ReadonlyArray<{ type: string }>>(told).map(({ type }) => type)
      return types.filter((type) => type === "reply.received").length === EACH
    },
    { describe: "Ada is told of every reply" }
  )
  const mailbox = service.system.mail === undefined ? null : await firstMailbox(ada.client)
  return { ada, bob, thread, mailbox }
}
