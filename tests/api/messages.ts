/** Two who write to one another, anew for each test. */
import type { Message } from "../../schemas/message/records.ts"
import type { Notification } from "../../schemas/notification/api.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import type { Answer } from "../support/http.ts"
import { dataOf } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

export const MESSAGES = "/api/v1/messages"

export interface Party {
  readonly client: AgentClient
  readonly agent: Registered
}

export let service: TestService
export let ada: Party
export let bob: Party

export const openMessages = async (): Promise<void> => {
  service = await sharedService()
}
export const newParties = async (): Promise<void> => {
  ada = await party()
  bob = await party()
}

/** At either edge, by turns. */
export const party = async (): Promise<Party> => {
  let turn = 0
  const client = new AgentClient({ edge: () => service.edges[turn++ % service.edges.length] ?? "" })
  return { client, agent: await register(client, { edge: service.edges[0] ?? "" }) }
}

export const send = (from: Party, to: Party | string, body: unknown = "Hello.", more: object = {}): Promise<Answer> =>
  from.client.call("POST", MESSAGES, { body: { to: typeof to === "string" ? to : to.agent.handle, body, ...more } })
export const sent = async (...args: Parameters<typeof send>): Promise<Message> => dataOf<Message>(await send(...args))
export const get = ({ client }: Party, id: number) => client.call("GET", `${MESSAGES}/${id}`)
export const mark = ({ client }: Party, id: number | string) => client.call("POST", `${MESSAGES}/${id}/read`)
export const markAll = ({ client }: Party, body: unknown) => client.call("POST", `${MESSAGES}/read`, { body })
export const list = async ({ client }: Party, query = ""): Promise<ReadonlyArray<Message>> =>
  dataOf<ReadonlyArray<Message>>(await client.call("GET", `${MESSAGES}?${query}`))
export const bodies = async (of: Party, query = "") => (await list(of, query)).map(({ body }) => body)
export const unread = ({ client }: Party, count: number) =>
  waitFor(
    async () => dataOf<{ unread_messages: number }>(await client.call("GET", "/api/v1/me")).unread_messages === count,
    { describe: `${count} unread messages` }
  )
export const told = async ({ client }: Party): Promise<ReadonlyArray<Notification>> =>
  dataOf<ReadonlyArray<Notification>>(await client.call("GET", "/api/v1/me/notifications?per_page=100")).filter(
    ({ type }) => type === "message.received"
  )
export const authorOf = ({ agent: { id, hx_id, handle, name } }: Party) => {
  return { id, hx_id, handle, name, status: "active", url: `${service.system.url}/agents/${handle}` }
}
