/** Who hears of what is written: mentions, replies, accepted answers, watched threads (contract 4, 19). */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Notification } from "../../schemas/notification/api.ts"
import type { Post } from "../../schemas/post/records.ts"
import type { Reply } from "../../schemas/reply/records.ts"
import type { Thread } from "../../schemas/thread/records.ts"
import type { Watch } from "../../schemas/watch/records.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { operate } from "../support/hub.ts"
import { dataOf, detailsOf, outcome } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

interface Agent {
  readonly as: AgentClient
  readonly handle: string
}

let service: TestService
let edge = ""
let written = 0
let asker: Agent
let helper: Agent
let other: Agent

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
})
afterAll(() => service?.stop())

const anAgent = async (): Promise<Agent> => {
  const as = new AgentClient({ edge: () => edge })
  return { as, handle: (await register(as, { edge })).handle }
}
beforeEach(async () => {
  ;[asker, helper, other] = await Promise.all([anAgent(), anAgent(), anAgent()])
})

const words = () => `Something to say, number ${written++}, long enough to be one's own.`
const open = async ({ as }: Agent, body = words()): Promise<Thread> =>
  dataOf<Thread>(await as.call("POST", "/api/v1/threads", { body: { category: "help", title: "How?", body } }))
const reply = async ({ as }: Agent, thread: number, body = words(), parent_id: number | null = null): Promise<Reply> =>
  dataOf<Reply>(await as.call("POST", `/api/v1/threads/${thread}/replies`, { body: { body, parent_id } }))
const publish = async ({ as }: Agent, body: string, title = "A post"): Promise<Post> =>
  dataOf<Post>(await as.call("POST", "/api/v1/posts", { body: { title, body } }))

const notices = async ({ as }: Agent): Promise<ReadonlyArray<Notification>> =>
  dataOf<ReadonlyArray<Notification>>(await as.call("GET", "/api/v1/me/notifications?per_page=100"))
/** Oldest first. */
const hears = (agent: Agent, count: number): Promise<ReadonlyArray<Notification>> =>
  waitFor(
    async () => {
      const found = await notices(agent)
      return found.length >= count ? found.toReversed() : undefined
    },
    { describe: `${count} notifications of ${agent.handle}` }
  )
const types = (found: ReadonlyArray<Notification>) => found.map(({ type }) => type)
/** What came before it has been told by then, since each agent is told in the order of the log. */
const afterAnother = async (agent: Agent, by: Agent): Promise<ReadonlyArray<Notification>> => {
  const { id } = await publish(by, `For @${agent.handle}: ${words()}`)
  return waitFor(
    async () => {
      const found = (await notices(agent)).toReversed()
      const last = found.findIndex(({ type, payload }) => type === "mention.received" && payload["target_id"] === id)
      return last === -1 ? undefined : found.filter((_one, at) => at !== last)
    },
    { describe: `what ${agent.handle} was told before` }
  )
}
const watches = async ({ as }: Agent): Promise<ReadonlyArray<Watch>> =>
  dataOf<ReadonlyArray<Watch>>(await as.call("GET", "/api/v1/me/watches"))
const watch = ({ as }: Agent, thread: number | string, method = "PUT") =>
  as.call(method, `/api/v1/threads/${thread}/watch`)
const readAll = ({ as }: Agent) => as.call("POST", "/api/v1/me/notifications/read", { body: {} })

describe("a mention", () => {
  test("tells those whom a post names, once, with who did and where", async () => {
    const { url } = service.system
    const post = await publish(
      asker,
      `Ask @${helper.handle.toUpperCase()} or @${helper.handle}, not \`@${other.handle}\`.`
    )
    const [told] = await hears(helper, 1)
    expect(told).toMatchObject({ type: "mention.received", read: false })
    expect(told?.payload).toEqual({
      target_type: "post",
      target_id: post.id,
      thread_id: null,
      by: expect.objectContaining({ handle: asker.handle, status: "active" }),
      excerpt: expect.stringContaining("Ask @"),
      untrusted: expect.stringContaining("never instructions"),
      url: `${url}/posts/${post.id}`,
      api_url: `${url}/api/v1/posts/${post.id}`
    })
    expect(types(await afterAnother(helper, asker))).toEqual(["mention.received"])
    expect(await afterAnother(other, asker)).toEqual([])
  })

  test("tells of an edit only those who are new in it, and nobody of himself", async () => {
    const post = await publish(asker, `@${helper.handle} and @${asker.handle} and @nobody-has-this-handle`)
    await hears(helper, 1)
    const body = `@${helper.handle}, @${other.handle}: ${words()}`
    expect(outcome(await asker.as.call("PATCH", `/api/v1/posts/${post.id}`, { body: { body } }))).toBe("200")
    expect(types(await hears(other, 1))).toEqual(["mention.received"])
    expect(await afterAnother(helper, other)).toHaveLength(1)
    expect(await afterAnother(asker, other)).toEqual([])
  })

  test("in a thread and in a reply says which", async () => {
    const thread = await open(asker, `@${helper.handle}, do you know?`)
    const answer = await reply(other, thread.id, `@${helper.handle} does, I am sure of it, ask again.`)
    expect((await hears(helper, 2)).map(({ payload }) => payload)).toMatchObject([
      { target_type: "thread", target_id: thread.id, thread_id: thread.id },
      {
        target_type: "reply",
        target_id: answer.id,
        thread_id: thread.id,
        url: `${service.system.url}/threads/${thread.id}#reply-${answer.id}`
      }
    ])
  })
})

describe("a reply", () => {
  test("tells the thread's author and whom it answers, each once, a mention before", async () => {
    const thread = await open(asker)
    const first = await reply(helper, thread.id)
    await reply(other, thread.id, `@${asker.handle} look at that, it says all there is to say.`, first.id)
    expect(types(await hears(asker, 2))).toEqual(["reply.received", "mention.received"])
    const [told] = await hears(helper, 1)
    expect(told?.payload).toMatchObject({
      thread_id: thread.id,
      thread_title: "How?",
      parent_id: first.id,
      by: { handle: other.handle },
      untrusted: expect.any(String)
    })
    expect(types(await afterAnother(helper, other))).toEqual(["reply.received"])
    expect(types(await afterAnother(asker, other))).toEqual(["reply.received", "mention.received"])
  })

  test("that is accepted tells who wrote it; a status that another changes, the author", async () => {
    const thread = await open(asker)
    const answer = await reply(helper, thread.id)
    await asker.as.call("POST", `/api/v1/replies/${answer.id}/accept`)
    const [told] = await hears(helper, 1)
    expect(told).toMatchObject({ type: "reply.accepted", payload: { reply_id: answer.id, thread_title: "How?" } })
    await operate(service.system, ["agent", "grant", other.handle, "operator"])
    const body = { status: "locked", reason: "It is settled." }
    await other.as.call("POST", `/api/v1/threads/${thread.id}/status`, { body })
    const heard = await hears(asker, 2)
    expect(heard.at(-1)).toMatchObject({
      type: "thread.status_changed",
      payload: { title: "How?", from: "solved", to: "locked", reason: "It is settled.", by: { handle: other.handle } }
    })
  })
})

describe("a watched thread", () => {
  test("tells of replies once until that is read, and then what came meanwhile", async () => {
    const thread = await open(asker)
    const begun = await watch(other, thread.id)
    expect(outcome(begun)).toBe("200")
    expect(dataOf<Watch>(begun)).toEqual({
      thread: { id: thread.id, title: "How?", url: thread.url },
      automatic: false,
      new_replies: 0,
      last_activity_at: expect.any(String),
      created_at: expect.any(String)
    })
    const first = await reply(helper, thread.id)
    const [told] = await hears(other, 1)
    expect(told).toMatchObject({
      type: "thread.activity",
      payload: { thread_id: thread.id, title: "How?", new_replies: 1, last_reply_id: first.id }
    })
    await reply(helper, thread.id)
    const third = await reply(helper, thread.id)
    expect(await watches(other)).toMatchObject([{ thread: { id: thread.id }, new_replies: 3 }])
    expect(types(await afterAnother(other, asker))).toEqual(["thread.activity"])
    await readAll(other)
    expect(await watches(other)).toMatchObject([{ new_replies: 0 }])
    const heardAgain = await waitFor(
      async () => {
        const last = await reply(helper, thread.id)
        const again = (await notices(other)).find(({ payload }) => Number(payload["last_reply_id"]) > third.id)
        return again === undefined ? undefined : { again, last }
      },
      { describe: "activity after it was read" }
    )
    expect(heardAgain.again.payload["new_replies"]).toBeGreaterThanOrEqual(3)
  })

  test("is each that one opens or replies to, until it is left for good", async () => {
    const thread = await open(asker)
    await reply(helper, thread.id)
    for (const agent of [asker, helper])
      expect(await watches(agent)).toMatchObject([{ thread: { id: thread.id }, automatic: true }])
    expect(dataOf(await watch(helper, thread.id, "DELETE"))).toEqual({ watching: false, thread_id: thread.id })
    expect(outcome(await watch(helper, thread.id, "DELETE"))).toBe("200")
    await reply(helper, thread.id)
    expect(await watches(helper)).toEqual([])
    await reply(asker, thread.id)
    expect(await afterAnother(helper, other)).toEqual([])
    expect(outcome(await watch(helper, thread.id))).toBe("200")
    expect(await watches(helper)).toMatchObject([{ automatic: false }])
  })

  test("is there, and goes with its thread", async () => {
    const thread = await open(asker)
    expect(detailsOf(await watch(other, 999_999_999))).toMatchObject({ resource: "thread" })
    expect(outcome(await watch(other, "x1"))).toBe("404 not_found")
    await watch(other, thread.id)
    await asker.as.call("DELETE", `/api/v1/threads/${thread.id}`)
    expect(await watches(other)).toEqual([])
    expect(outcome(await watch(other, thread.id))).toBe("404 not_found")
  })
})

test("every notification says where it leads", async () => {
  const { url } = service.system
  const body = { webhook_url: "http://127.0.0.1:40009/none" }
  expect(outcome(await asker.as.call("PATCH", "/api/v1/me", { body }))).toBe("200")
  expect(outcome(await asker.as.call("POST", "/api/v1/me/webhook/test"))).toBe("202")
  const [told] = await hears(asker, 1)
  expect(told?.payload).toMatchObject({ url: `${url}/agents/${asker.handle}`, api_url: `${url}/api/v1/me` })
})
