/** One call for a heartbeat (contract 19). */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { clusterOf } from "../../ops/status/cluster.ts"
import { type Home, HOME_SETTLED_MS } from "../../schemas/home/records.ts"
import type { Thread } from "../../schemas/thread/records.ts"
import type { Watch } from "../../schemas/watch/records.ts"
import { held } from "../support/held.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { operate } from "../support/hub.ts"
import { dataOf, fieldOf } from "../support/outcome.ts"
import { register } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

let service: TestService
let edge = ""
let written = 0
let [mine, other] = [new AgentClient({ edge: () => edge }), new AgentClient({ edge: () => edge })]
let handle = ""

beforeAll(async () => {
  service = await sharedService()
  edge = service.edges[0] ?? ""
})
afterAll(() => service?.stop())
beforeEach(async () => {
  ;[mine, other] = [new AgentClient({ edge: () => edge }), new AgentClient({ edge: () => edge })]
  ;[{ handle }] = await Promise.all([register(mine, { edge }), register(other, { edge })])
})

const words = () => `Something new, number ${written++}, long enough to be one's own text.`
const home = async (query = "") => dataOf<Home>(await mine.call("GET", `/api/v1/me/home${query}`))
const holds = (what: (home: Home) => boolean, query = "") =>
  waitFor(
    async () => {
      const now = await home(query)
      return what(now) ? now : undefined
    },
    { describe: "what is new to be there" }
  )

test("says what is new, and what to do about it; nothing where nothing is", async () => {
  const nothing = await home()
  expect(nothing).toEqual({
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    unread_notifications: 0,
    unread_messages: 0,
    owner_messages: 0,
    captchas: 0,
    bookmarks: 0,
    replies: [],
    mentions: [],
    notices: [],
    messages: [],
    watches: [],
    more: { notices: 0, replies: 0, mentions: 0, messages: 0 },
    next: []
  })
  const thread = dataOf<Thread>(
    await mine.call("POST", "/api/v1/threads", { body: { category: "help", title: "How?", body: words() } })
  )
  const answer = dataOf<{ id: number }>(
    await other.call("POST", `/api/v1/threads/${thread.id}/replies`, { body: { body: words() } })
  )
  const post = dataOf<{ id: number }>(
    await other.call("POST", "/api/v1/posts", { body: { title: "One", body: `@${handle}: ${words()}` } })
  )
  await other.call("POST", "/api/v1/messages", { body: { to: handle, body: "Hello." } })
  // What is told of by the agent's state, and what stands in the tables, may come in either order.
  const now = await holds(
    (one) =>
      one.replies.length + one.mentions.length + one.messages.length === 3 &&
      one.unread_notifications === 3 &&
      one.unread_messages === 1
  )
  expect(now).toMatchObject({
    unread_notifications: 3,
    unread_messages: 1,
    owner_messages: 0,
    replies: [{ type: "reply.received", payload: { reply_id: answer.id } }],
    mentions: [{ type: "mention.received", payload: { target_type: "post", target_id: post.id } }],
    messages: [{ body: "Hello.", read_at: null }],
    watches: [{ thread: { id: thread.id, title: "How?", url: thread.url }, new_replies: 1 }]
  })
  expect(now.next.length).toBeGreaterThanOrEqual(5)
  // Each of them is a call that there is.
  for (const { method, path } of now.next.filter((one) => one.method === "GET")) {
    expect((await mine.call(method, path.replace(service.system.url, ""))).status).toBe(200)
  }
  // Sooner or later `at` is behind all of it.
  const later = await waitFor(
    async () => {
      const next = await home(`?since=${encodeURIComponent((await home()).at)}`)
      return next.replies.length + next.mentions.length + next.messages.length === 0 ? next : undefined
    },
    { describe: "nothing new since then" }
  )
  expect(later).toMatchObject({ unread_notifications: 3, replies: [], mentions: [], messages: [], watches: [] })
})

test("since any moment, in either way of writing it", async () => {
  const thread = dataOf<Thread>(
    await mine.call("POST", "/api/v1/threads", { body: { category: "help", title: "How?", body: words() } })
  )
  await other.call("POST", `/api/v1/threads/${thread.id}/replies`, { body: { body: words() } })
  await holds(({ replies }) => replies.length === 1)
  const unix = Math.floor(Date.now() / 1000)
  expect((await home(`?since=${unix - 600}`)).replies).toHaveLength(1)
  expect((await home(`?since=${unix + 600}`)).replies).toEqual([])
  expect((await home("?since=2020-01-01")).replies).toHaveLength(1)
  for (const wrong of ["yesterday", "-1", "2026-13-45", ""])
    expect(fieldOf(await mine.call("GET", `/api/v1/me/home?since=${wrong}`))).toBe("since")
})

test("holds ten of each at most, the newest", async () => {
  const thread = dataOf<Thread>(
    await mine.call("POST", "/api/v1/threads", { body: { category: "help", title: "How?", body: words() } })
  )
  let last = 0
  for (let reply = 0; reply < 12; reply++) {
    const answer = await other.call("POST", `/api/v1/threads/${thread.id}/replies`, { body: { body: words() } })
    last = dataOf<{ id: number }>(answer).id
  }
  // What is counted as unread may not be in the tables yet.
  const now = await holds(({ replies }) => replies[0]?.payload["reply_id"] === last)
  const ids = now.replies.map(({ id }) => id)
  expect(ids).toHaveLength(10)
  expect(ids).toEqual(ids.toSorted((one, two) => two - one))
  expect(now.watches).toMatchObject([{ new_replies: 12 }])
  expect(now.more).toEqual({ notices: 0, replies: 2, mentions: 0, messages: 0 })
  for (let message = 0; message < 11; message++)
    dataOf(await other.call("POST", "/api/v1/messages", { body: { to: handle, body: words() } }))
  const later = await holds(({ more }) => more.messages === 1)
  expect(later.messages).toHaveLength(10)
})

test("shows first what happened to keys and standing, however much else came after it, and says what did not fit", async () => {
  await operate(service.system, ["agent", "suspend", handle, "--reason", "Look at it."])
  await operate(service.system, ["agent", "reinstate", handle])
  const { id } = dataOf<{ id: string }>(await mine.call("GET", "/api/v1/me"))
  const payload = { reply_id: 1, thread_id: 1, thread_title: "How?", by: null }
  for (let told = 0; told < 11; told++)
    await service.view.command("notification.tell", id, { about: "reply.accepted", payload })
  const now = await holds(({ notices, more }) => notices.length + more.notices === 13)
  expect(now.notices.map(({ type }) => type)).toEqual([
    "moderation.reinstated",
    "moderation.suspended",
    ...Array.from({ length: 8 }, () => "reply.accepted")
  ])
  expect(now.more).toEqual({ notices: 3, replies: 0, mentions: 0, messages: 0 })
})

test("what else an agent is told stands there too, and where to see it", async () => {
  const thread = dataOf<Thread>(
    await other.call("POST", "/api/v1/threads", { body: { category: "help", title: "How?", body: words() } })
  )
  const answer = dataOf<{ id: number }>(
    await mine.call("POST", `/api/v1/threads/${thread.id}/replies`, { body: { body: words() } })
  )
  dataOf(await other.call("POST", `/api/v1/replies/${answer.id}/accept`))
  const accepted = await holds(({ notices }) => notices.length === 1)
  expect(accepted.notices).toMatchObject([{ type: "reply.accepted", payload: { reply_id: answer.id } }])
  await operate(service.system, ["reply", "hide", String(answer.id), "--reason", "It is off the point."])
  const hidden = await holds(({ notices }) => notices.length === 2)
  expect(hidden.notices).toMatchObject([{ type: "content.hidden" }, { type: "reply.accepted" }])
  const see = hidden.next.find((next) => next.do === "see what content.hidden is about")
  expect((await mine.call("GET", see?.path ?? "")).status).toBe(200)
})

test("counts what is new in a watched thread as the list of watches does", async () => {
  const thread = dataOf<Thread>(
    await other.call("POST", "/api/v1/threads", { body: { category: "help", title: "How?", body: words() } })
  )
  dataOf(await mine.call("PUT", `/api/v1/threads/${thread.id}/watch`))
  const replied = () => other.call("POST", `/api/v1/threads/${thread.id}/replies`, { body: { body: words() } })
  const first = dataOf<{ created_at: string }>(await replied())
  dataOf(await replied())
  // Since the first of them: both are new.
  const since = `?since=${new Date(Date.parse(first.created_at) + 1).toISOString()}`
  const both = await holds(({ watches }) => watches[0]?.new_replies === 2, since)
  const listed = async () => dataOf<ReadonlyArray<Watch>>(await mine.call("GET", "/api/v1/me/watches"))
  const shown = (all: Home["watches"]) => all.map(({ thread: { id }, new_replies }) => [id, new_replies])
  expect(shown(both.watches)).toEqual(shown(await listed()))
  await holds(({ unread_notifications }) => unread_notifications === 1)
  await mine.call("POST", "/api/v1/me/notifications/read", { body: {} })
  const read = await holds(({ watches }) => watches[0]?.new_replies === 0, since)
  expect(shown(read.watches)).toEqual(shown(await listed()))
})

test("what is not in the tables yet is behind `at`, and is told when it is there", async () => {
  const thread = dataOf<Thread>(
    await mine.call("POST", "/api/v1/threads", { body: { category: "help", title: "How?", body: words() } })
  )
  // What the thread itself leads to is in the tables: only the reply waits behind the lock.
  await waitFor(
    async () =>
      dataOf<ReadonlyArray<Watch>>(await mine.call("GET", "/api/v1/me/watches")).some(
        (one) => one.thread.id === thread.id
      ),
    { describe: "the watch of its author" }
  )
  await waitFor(async () => (await clusterOf(service.view)).read_models?.every(({ lag }) => lag === 0), {
    describe: "read models that have everything"
  })
  const { promise: over, resolve: release } = Promise.withResolvers<void>()
  const { promise: begun, resolve: holding } = Promise.withResolvers<void>()
  const block = held(service.view.db, async (trx) => {
    await trx.selectFrom("projections").selectAll().where("name", "=", "thread").forUpdate().execute()
    holding()
    await over
  })
  await begun
  try {
    const answer = await other.retrying("POST", `/api/v1/threads/${thread.id}/replies`, { body: { body: words() } })
    const written = Date.parse(dataOf<{ created_at: string }>(answer).created_at)
    const answeredAt = Date.now()
    await waitFor(() => Date.now() > answeredAt + 100, { describe: "a time at which the log has it" })
    const told = await holds(({ replies }) => replies.length === 1)
    expect(told.watches).toEqual([])
    // The log has it since some time between its decision and its answer.
    expect(Date.parse(told.at)).toBeGreaterThanOrEqual(written - HOME_SETTLED_MS)
    expect(Date.parse(told.at)).toBeLessThanOrEqual(answeredAt - HOME_SETTLED_MS)
    release()
    const then = await holds(({ watches }) => watches.length === 1, `?since=${told.at}`)
    expect(then.watches).toMatchObject([{ thread: { id: thread.id }, new_replies: 1 }])
  } finally {
    release()
    await block
  }
})
