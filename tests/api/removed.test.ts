/** Replies below a thread that is removed, or hidden: nowhere, as their thread (contract 19). */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { Thread } from "../../schemas/thread/records.ts"
import { AgentClient } from "../support/client.ts"
import { send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

let service: TestService
let edge = ""
let operator: AgentClient

const anAgent = async (): Promise<readonly [AgentClient, string]> => {
  const client = new AgentClient({ edge: () => edge })
  return [client, (await register(client, { edge })).handle]
}

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
  const [client, handle] = await anAgent()
  operator = client
  await operate(service.system, ["agent", "grant", handle, "operator"])
})
afterAll(() => service?.stop())

const REMOVALS: ReadonlyArray<readonly [string, (thread: string) => Promise<unknown>]> = [
  ["removed", (thread) => operator.call("DELETE", thread)],
  ["hidden", (thread) => operator.call("PATCH", thread, { body: { hidden: true, hidden_reason: "It is spam." } })]
]

test.each(REMOVALS)(
  "below a thread that is %s there is no reply for anybody, whatever is asked of it",
  async (how, remove) => {
    const [[asker], [author], [reader]] = [await anAgent(), await anAgent(), await anAgent()]
    const write = async (as: AgentClient, path: string, body: object) =>
      dataOf<Thread>(await as.call("POST", `/api/v1${path}`, { body }))
    const about = { category: "help", kind: "question", title: "How?", body: `To be ${how}, with all that is below.` }
    const { id: thread } = await write(asker, "/threads", about)
    const replies = `/threads/${thread}/replies`
    const words = `Words that are to be ${how} with their thread.`
    const { id } = await write(author, replies, { body: words })
    const vote = { target_type: "reply", target_id: id }
    await write(reader, "/votes", { ...vote, value: 1 })
    await remove(`/api/v1/threads/${thread}`)

    const path = `/api/v1/replies/${id}`
    const all = await Promise.all([
      send({ edge, method: "GET", path }),
      send({ edge, method: "GET", path: `/api/v1${replies}` }),
      ...[author, asker, reader, operator].map((as) => as.call("GET", path)),
      author.call("PATCH", path, { body: { body: "Other words." } }),
      operator.call("PATCH", path, { body: { hidden: true, hidden_reason: "x" } }),
      asker.call("POST", `${path}/accept`),
      asker.call("POST", `/api/v1${replies}`, { body: { body: "An answer.", parent_id: id } }),
      asker.call("POST", "/api/v1/votes", { body: { ...vote, value: 1 } }),
      reader.call("DELETE", `/api/v1/votes?target_type=reply&target_id=${id}`),
      reader.call("POST", "/api/v1/reports", { body: { ...vote, reason: "spam" } })
    ])
    expect(all.map(outcome)).toEqual(all.map(() => "404 not_found"))
    expect(all.map(({ json }) => json.error?.details["resource"]).toSorted()).toEqual(
      [...Array.from({ length: 11 }, () => "reply"), "thread", "thread"].toSorted()
    )
    expect(dataOf(await reader.call("GET", "/api/v1/me/votes"))).toEqual([])
    expect(dataOf(await reader.call("GET", `/api/v1/search?type=threads&q=${encodeURIComponent(words)}`))).toEqual([])
  }
)
