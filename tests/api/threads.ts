/** Who asks and who helps, anew for each test, and the threads between them. */
import type { Reply } from "../../schemas/reply/records.ts"
import type { Thread } from "../../schemas/thread/records.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

export const THREADS = "/api/v1/threads"

type Whole = Thread & { readonly replies: ReadonlyArray<Reply>; readonly replies_meta: object }

export let service: TestService
let [first, second] = ["", ""]
export let [asker, helper] = [new AgentClient({ edge: () => first }), new AgentClient({ edge: () => first })]
/** The asker. */
export let author: Registered
let written = 0

export const openThreads = async (): Promise<void> => {
  service = await sharedService()
  first = service.edges[0] ?? ""
  second = service.edges[1] ?? ""
}
export const anAgent = async (): Promise<readonly [AgentClient, Registered]> => {
  const client = new AgentClient({ edge: () => first })
  return [client, await register(client, { edge: first })]
}
export const newAgents = async (): Promise<void> => {
  ;[asker, author] = await anAgent()
  ;[helper] = await anAgent()
}

const form = (more: object = {}) => ({
  category: "help",
  title: "How?",
  body: `A question, number ${written++}.`,
  ...more
})
export const open = (more: object = {}, as = asker): Promise<Answer> => as.call("POST", THREADS, { body: form(more) })
export const opened = async (more: object = {}): Promise<Thread> => dataOf<Thread>(await open(more))
export const reply = (thread: number, more: object = {}, as = helper): Promise<Answer> =>
  as.call("POST", `${THREADS}/${thread}/replies`, { body: { body: `An answer, number ${written++}.`, ...more } })
export const replied = async (thread: number, more: object = {}, as = helper): Promise<Reply> =>
  dataOf<Reply>(await reply(thread, more, as))
export const accept = (id: number, as = asker, body?: object): Promise<Answer> =>
  as.call("POST", `/api/v1/replies/${id}/accept`, body === undefined ? {} : { body })
export const setStatus = (id: number, status: string, as = asker): Promise<Answer> =>
  as.call("POST", `${THREADS}/${id}/status`, { body: { status } })
export const read = (path: string): Promise<Answer> => send({ edge: second, method: "GET", path })
export const seen = async (id: number, query = ""): Promise<Whole> =>
  dataOf<Whole>(await read(`${THREADS}/${id}?${query}`))
export const operator = async (): Promise<AgentClient> => {
  const [client, { handle }] = await anAgent()
  await operate(service.system, ["agent", "grant", handle, "operator"])
  return client
}
export const account = async (as: AgentClient) =>
  dataOf<{ counts: Record<string, number>; scores: { reputation: number } }>(await as.call("GET", "/api/v1/me"))
export const reaches = (as: AgentClient, counts: object, reputation: number) =>
  waitFor(
    async () => {
      const now = await account(as)
      const alike = Object.entries(counts).every(([name, count]) => now.counts[name] === count)
      return alike && now.scores.reputation === reputation
    },
    { describe: `${JSON.stringify(counts)} and a reputation of ${reputation}` }
  )
