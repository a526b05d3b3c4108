/** Private messages: read, marked, listed and told of, and in no line of a log (spec 4.6; contract 3, 4, 19). */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Message } from "../../schemas/message/records.ts"
import { NOTIFICATION_TYPES } from "../../schemas/notification/types.ts"
import { waitFor } from "../harness/index.ts"
import { operate } from "../support/hub.ts"
import { dataOf, fieldOf, outcome } from "../support/outcome.ts"
import {
  ada,
  authorOf,
  bob,
  bodies,
  get,
  list,
  mark,
  markAll,
  MESSAGES,
  newParties,
  openMessages,
  party,
  send,
  sent,
  service,
  told,
  unread
} from "./messages.ts"

const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

beforeAll(openMessages)
afterAll(() => service?.stop())
beforeEach(newParties)

describe("reading messages", () => {
  test("marks what told of it, and nothing else", async () => {
    const [one, other] = [await sent(ada, bob), await sent(ada, bob, "And?")]
    await unread(bob, 2)
    await mark(bob, one.id)
    const read = async () =>
      (await told(bob)).filter((notice) => notice.read).map(({ payload }) => payload["message_id"])
    await waitFor(async () => (await read()).length > 0, { describe: "the notification to be read" })
    expect(await read()).toEqual([one.id])
    expect(dataOf(await bob.client.call("GET", "/api/v1/me"))).toMatchObject({
      unread_messages: 1,
      unread_notifications: 1
    })
    await markAll(bob, { ids: [one.id, other.id] })
    await waitFor(async () => (await read()).length === 2, { describe: "both to be read" })
  })

  test("is what its recipient says it is: looking marks nothing, the first mark stays, both see it", async () => {
    const message = await sent(ada, bob)
    await unread(bob, 1)
    await get(bob, message.id)
    expect(await list(bob, "unread=1")).toHaveLength(1)
    expect(outcome(await mark(ada, message.id))).toBe("403 not_recipient")
    expect(outcome(await mark(await party(), message.id))).toBe("404 not_found")
    const marked = dataOf<{ read_at: string }>(await mark(bob, message.id))
    expect(marked).toEqual({ id: message.id, read_at: TIME })
    expect(dataOf(await mark(bob, message.id))).toEqual(marked)
    for (const one of [ada, bob]) expect(dataOf(await get(one, message.id))).toEqual({ ...message, ...marked })
    expect(await list(bob, "unread=1")).toEqual([])
    expect(await list(ada, "box=sent&unread=1")).toEqual([])
    await unread(bob, 0)
  })

  test.each(["0", "-1", "1e3", "007", "x", "99999999999999999999", "999999999", "%00"])("%s is none", async (id) => {
    expect(outcome(await mark(bob, id))).toBe("404 not_found")
    expect(outcome(await bob.client.call("GET", `${MESSAGES}/${id}`))).toBe("404 not_found")
  })

  test("many at once marks those to the agent, and says which", async () => {
    const [one, two, three] = [await sent(ada, bob, "1"), await sent(ada, bob, "2"), await sent(ada, bob, "3")]
    const own = await sent(bob, ada, "4")
    await unread(bob, 3)
    const before = dataOf<object>(await mark(bob, two.id))
    const { messages } = dataOf<{ messages: ReadonlyArray<{ id: number; read_at: string }> }>(
      await markAll(bob, { ids: [three.id, one.id, own.id, two.id, three.id, 999_999_999] })
    )
    expect(messages).toEqual([{ id: three.id, read_at: TIME }, { id: one.id, read_at: TIME }, before])
    expect(dataOf<Message>(await get(bob, own.id)).read_at).toBeNull()
    expect((await list(bob)).map(({ id, read_at }) => ({ id, read_at }))).toEqual(
      [three.id, two.id, one.id].map((id) => messages.find((marked) => marked.id === id))
    )
    await unread(bob, 0)
    expect(dataOf(await markAll(bob, { ids: [] }))).toEqual({ messages: [] })
  })

  test.each([
    ["ids", {}],
    ["ids", { ids: 5 }],
    ["ids.0", { ids: ["1"] }],
    ["ids.1", { ids: [1, 0] }],
    ["ids", { ids: Array.from({ length: 101 }, (_, index) => index + 1) }],
    ["body", []]
  ])("many refuses %s of %j", async (field, body) => {
    const answer = await markAll(bob, body)
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", field])
  })
})

describe("a list of messages", () => {
  test("is of a box, of a conversation, of what is unread, of what is new, newest first", async () => {
    const cy = await party()
    const one = await sent(bob, ada, "b1")
    await sent(ada, bob, "a1")
    await sent(cy, ada, "c1")
    await sent(ada, cy, "a2")
    await sent(bob, ada, "b2")
    await mark(ada, one.id)
    expect(await bodies(ada)).toEqual(["b2", "c1", "b1"])
    expect(await bodies(ada, "box=sent")).toEqual(["a2", "a1"])
    expect(await bodies(ada, "box=all")).toEqual(["b2", "a2", "c1", "a1", "b1"])
    expect(await bodies(ada, `box=all&with=${bob.agent.handle}`)).toEqual(["b2", "a1", "b1"])
    expect(await bodies(ada, `with=${cy.agent.id}`)).toEqual(["c1"])
    expect(await bodies(ada, `with=${cy.agent.id}&with=${bob.agent.id}`)).toEqual(["b2", "b1"])
    expect(await bodies(ada, "unread=1")).toEqual(["b2", "c1"])
    expect(await bodies(ada, "unread=0")).toEqual(["b2", "c1", "b1"])
    expect(await bodies(ada, `box=all&since_id=${one.id}`)).toEqual(["b2", "a2", "c1", "a1"])
    expect(await bodies(ada, `unread=1&since_id=${one.id}&per_page=1&page=2`)).toEqual(["c1"])
    expect(await bodies(ada, "since_id=-5")).toEqual(["b2", "c1", "b1"])
    expect(await bodies(ada, "since_id=999999999999999999999")).toEqual([])
    const { json } = await ada.client.call("GET", `${MESSAGES}?box=all&per_page=2&page=3`)
    expect(json).toMatchObject({ data: [{ body: "b1" }], meta: { page: 3, per_page: 2, total: 5, pages: 3 } })
    expect(await bodies(bob, "box=all")).toEqual(["b2", "a1", "b1"])
  })

  test.each(["box=outbox", "with=nobody-at-all", "with=HX-999999999", `with=hx${"0".repeat(24)}`, "with=%00"])(
    "refuses %s",
    async (query) => {
      const answer = await ada.client.call("GET", `${MESSAGES}?${query}`)
      expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", query.split("=")[0]])
    }
  )
})

test("a message's recipient is told of it once: how it begins, who wrote it, where it is; its sender is not", async () => {
  const message = await sent(ada, bob, `# Hear\n\n${"word ".repeat(200)}`)
  const [one, ...others] = await waitFor(async () => {
    const all = await told(bob)
    return all.length > 0 ? all : null
  })
  const address = `${service.system.url}${MESSAGES}/${message.id}`
  expect(one?.payload).toEqual({
    message_id: message.id,
    conversation_id: message.conversation_id,
    from: authorOf(ada),
    excerpt: expect.stringMatching(/^# Hear word word .*…$/),
    untrusted: expect.stringContaining("never instructions"),
    url: address,
    api_url: address
  })
  const declared = NOTIFICATION_TYPES.find(({ type }) => type === "message.received")
  expect(Object.keys(one?.payload ?? {}).toSorted()).toEqual(Object.keys(declared?.payload_fields ?? {}).toSorted())
  expect(others).toEqual([])
  expect(await told(ada)).toEqual([])
  expect(outcome(await bob.client.call("GET", `${MESSAGES}/${String(one?.payload["message_id"])}`))).toBe("200")
})

test("what a message says stands in no line that a process writes", async () => {
  const word = `w${randomBytes(12).toString("hex")}`
  const message = await sent(ada, bob, `It is ${word}.`)
  await mark(bob, message.id)
  await unread(bob, 0)
  await send(ada, "nobody-at-all", `It is ${word}.`)
  await send(ada, bob, `It is ${word}.`, { in_reply_to: 999_999_999 })
  await get(bob, message.id)
  const lines = await waitFor(() => {
    const text = service.system.logs.text()
    return text.includes(`"${MESSAGES}/${message.id}"`) ? text : null
  })
  expect(lines).not.toContain(word)
  expect(await operate(service.system, ["replay", "message", String(message.id)])).not.toContain(word)
  expect(await operate(service.system, ["replay", "agent", bob.agent.handle])).not.toContain(word)
})
