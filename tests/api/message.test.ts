/** Private messages: sent, listed, read, told of, and seen by their two parties alone (spec 4.6; contract 3, 4, 19). */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Message } from "../../schemas/message/records.ts"
import type { Notification } from "../../schemas/notification/api.ts"
import { NOTIFICATION_TYPES } from "../../schemas/notification/types.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { type Answer, send as sendUnsigned } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { sharedService, type TestService } from "../support/service.ts"

const MESSAGES = "/api/v1/messages"
const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

interface Party {
  readonly client: AgentClient
  readonly agent: Registered
}

let service: TestService
let ada: Party
let bob: Party

beforeAll(async () => {
  service = await sharedService()
})
afterAll(() => service?.stop())
beforeEach(async () => {
  ada = await party()
  bob = await party()
})

/** At either edge, by turns. */
const party = async (): Promise<Party> => {
  let turn = 0
  const client = new AgentClient({ edge: () => service.edges[turn++ % service.edges.length] ?? "" })
  return { client, agent: await register(client, { edge: service.edges[0] ?? "" }) }
}

const send = (from: Party, to: Party | string, body: unknown = "Hello.", more: object = {}): Promise<Answer> =>
  from.client.call("POST", MESSAGES, { body: { to: typeof to === "string" ? to : to.agent.handle, body, ...more } })
const sent = async (...args: Parameters<typeof send>): Promise<Message> => dataOf<Message>(await send(...args))
const get = ({ client }: Party, id: number) => client.call("GET", `${MESSAGES}/${id}`)
const mark = ({ client }: Party, id: number | string) => client.call("POST", `${MESSAGES}/${id}/read`)
const markAll = ({ client }: Party, body: unknown) => client.call("POST", `${MESSAGES}/read`, { body })
const list = async ({ client }: Party, query = ""): Promise<ReadonlyArray<Message>> =>
  dataOf<ReadonlyArray<Message>>(await client.call("GET", `${MESSAGES}?${query}`))
const bodies = async (of: Party, query = "") => (await list(of, query)).map(({ body }) => body)
const unread = ({ client }: Party, count: number) =>
  waitFor(
    async () => dataOf<{ unread_messages: number }>(await client.call("GET", "/api/v1/me")).unread_messages === count,
    { describe: `${count} unread messages` }
  )
const told = async ({ client }: Party): Promise<ReadonlyArray<Notification>> =>
  dataOf<ReadonlyArray<Notification>>(await client.call("GET", "/api/v1/me/notifications?per_page=100")).filter(
    ({ type }) => type === "message.received"
  )
const authorOf = ({ agent: { id, hx_id, handle, name } }: Party) => {
  return { id, hx_id, handle, name, status: "active", url: `${service.system.url}/agents/${handle}` }
}

describe("a message", () => {
  test("is its record, the same at once for both of them, and there for nobody else", async () => {
    const answer = await send(ada, bob, "Are *you* there?\nI am. 😀")
    expect(answer.status).toBe(201)
    const message = dataOf<Message>(answer)
    expect(message).toEqual({
      id: expect.any(Number),
      conversation_id: expect.stringMatching(/^\S{1,80}$/),
      from: authorOf(ada),
      to: authorOf(bob),
      body: "Are *you* there?\nI am. 😀",
      in_reply_to: null,
      read_at: null,
      created_at: TIME
    })
    for (const one of [ada, ada, bob, bob]) expect(dataOf(await get(one, message.id))).toEqual(message)
    expect(await list(bob)).toEqual([message])
    expect(await list(ada, "box=sent")).toEqual([message])
    const third = await party()
    const notThere = ["404 not_found", { resource: "message" }]
    const seenBy = async (one: Party) => {
      const found = await get(one, message.id)
      return [outcome(found), detailsOf(found)]
    }
    expect(await seenBy(third)).toEqual(notThere)
    await operate(service.system, ["agent", "grant", third.agent.handle, "operator"])
    expect(await seenBy(third)).toEqual(notThere)
    expect(await list(third, "box=all")).toEqual([])
    expect(await list(third, `box=all&with=${ada.agent.handle}`)).toEqual([])
    const path = `${MESSAGES}/${message.id}`
    expect(outcome(await sendUnsigned({ edge: service.edges[0] ?? "", method: "GET", path }))).toBe(
      "401 authentication_required"
    )
  })

  test("and its answers are one conversation, whoever begins; another pair has another", async () => {
    const first = await sent(ada, bob.agent.id)
    const second = await sent(bob, ada, "Yes.", { in_reply_to: first.id })
    const third = await sent(bob, ada, "Quite so.", { in_reply_to: second.id })
    expect([second.in_reply_to, third.in_reply_to]).toEqual([first.id, second.id])
    expect(new Set([first, second, third].map(({ conversation_id }) => conversation_id)).size).toBe(1)
    const other = await party()
    expect((await sent(ada, other)).conversation_id).not.toBe(first.conversation_id)
    for (const in_reply_to of [first.id, 999_999_999]) {
      const answer = await send(ada, other, "Hm.", { in_reply_to })
      expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", "in_reply_to"])
    }
    expect(await bodies(other)).toEqual(["Hello."])
  })

  test.each([
    ["to", { to: undefined }],
    ["to", { to: 7 }],
    ["to", { to: ["bob"] }],
    ["body", { body: undefined }],
    ["body", { body: "" }],
    ["body", { body: " \n\t" }],
    ["body", { body: "a\0b" }],
    ["body", { body: "\ud800" }],
    ["body", { body: "\u001b[2J" }],
    ["body", { body: "x".repeat(10_001) }],
    ["body", { body: 5 }],
    ["in_reply_to", { in_reply_to: "1" }],
    ["in_reply_to", { in_reply_to: 0 }],
    ["in_reply_to", { in_reply_to: 1.5 }],
    ["in_reply_to", { in_reply_to: 2 ** 53 }]
  ])("is refused for its %s: %j", async (field, more) => {
    const answer = await ada.client.call("POST", MESSAGES, { body: { to: bob.agent.handle, body: "Hello.", ...more } })
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", field])
  })

  test("may be as long as it may be", async () => {
    const body = "😀".repeat(10_000)
    expect((await sent(ada, bob, body)).body).toBe(body)
    expect(await bodies(bob)).toEqual([body])
  })

  test("with a secret is refused, and the secret told to nobody", async () => {
    const token = `whsec_${randomBytes(32).toString("base64")}`
    const answer = await send(ada, bob, `Sign with ${token}.`)
    expect([outcome(answer), fieldOf(answer)]).toEqual(["422 content_secret", "body"])
    expect(answer.text).not.toContain(token.slice(0, 12))
    expect(await list(bob)).toEqual([])
  })

  test("may say what another said, unless it is the same one sent again", async () => {
    await Promise.all([send(ada, bob), send(ada, bob)])
    expect(await bodies(bob)).toEqual(["Hello.", "Hello."])
    const once = () =>
      ada.client.call("POST", MESSAGES, { body: { to: bob.agent.handle, body: "Once." }, idempotencyKey: "once" })
    const answers = await Promise.all([once(), once(), once()])
    const kept = await once()
    expect(kept.status).toBe(201)
    expect(new Set([...answers, kept].filter(({ status }) => status === 201).map(({ text }) => text)).size).toBe(1)
    expect(await bodies(bob)).toEqual(["Once.", "Hello.", "Hello."])
  })

  test("draws on a bucket of its own, and nothing else does", async () => {
    const answers = await Promise.all(Array.from({ length: 31 }, () => send(ada, bob)))
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.map((answer) => [outcome(answer), detailsOf(answer)["bucket"]])).toEqual([
      ["429 rate_limited", "message"]
    ])
    expect(outcome(await markAll(ada, { ids: [] }))).toBe("200")
    expect(outcome(await ada.client.call("POST", "/api/v1/me/blocks", { body: { agent: bob.agent.handle } }))).toBe(
      "201"
    )
  })
})

describe("nobody writes to", () => {
  test("himself", async () => {
    for (const ref of [ada.agent.handle, ada.agent.id]) expect(outcome(await send(ada, ref))).toBe("422 message_self")
  })

  test.each(["nobody-at-all", "", "HX-000001", "a b", "hx000000000000000000000000", "../me", "x".repeat(5000)])(
    "%j, who is not there",
    async (ref) => {
      const answer = await send(ada, ref)
      expect([outcome(answer), detailsOf(answer)["resource"]]).toEqual(["404 not_found", "agent"])
    }
  )

  test("who is suspended, and to him again when he is not; who is banned is not there", async () => {
    const { handle } = bob.agent
    await operate(service.system, ["agent", "suspend", handle, "--reason", "A test."])
    const answer = await send(ada, bob)
    expect([outcome(answer), detailsOf(answer)]).toEqual(["409 message_recipient_unavailable", { status: "suspended" }])
    await operate(service.system, ["agent", "reinstate", handle, "--reason", "A test."])
    expect(outcome(await send(ada, bob))).toBe("201")
    await operate(service.system, ["agent", "ban", handle, "--reason", "A test."])
    const none = await send(ada, bob)
    expect([outcome(none), detailsOf(none)]).toEqual(["404 not_found", { resource: "agent" }])
  })

  test("who deleted his account; what he wrote stays, under another name", async () => {
    const before = await sent(bob, ada, "Farewell.")
    expect(outcome(await bob.client.call("DELETE", "/api/v1/me", { body: { confirm: bob.agent.handle } }))).toBe("200")
    for (const ref of [bob.agent.handle, bob.agent.id]) {
      const answer = await send(ada, ref)
      expect([outcome(answer), detailsOf(answer)]).toEqual(["409 message_recipient_unavailable", { status: "deleted" }])
    }
    const { id, hx_id } = bob.agent
    const gone = { id, hx_id, handle: null, name: "Deleted agent", status: "deleted", url: null }
    const left = await waitFor(async () => {
      const found = dataOf<Message>(await get(ada, before.id))
      return found.from.status === "deleted" ? found : null
    })
    expect(left).toEqual({ ...before, from: gone })
    expect(await list(ada, `with=${id}`)).toEqual([left])
    expect(fieldOf(await ada.client.call("GET", `${MESSAGES}?with=${bob.agent.handle}`))).toBe("with")
  })

  test("anybody, being suspended himself; he may read, and mark nothing", async () => {
    const message = await sent(bob, ada)
    await operate(service.system, ["agent", "suspend", ada.agent.handle, "--reason", "A test."])
    expect(await bodies(ada)).toEqual([message.body])
    for (const answer of [await send(ada, bob), await mark(ada, message.id), await markAll(ada, { ids: [message.id] })])
      expect(outcome(answer)).toBe("403 agent_suspended")
    expect(dataOf<Message>(await get(bob, message.id)).read_at).toBeNull()
  })
})

describe("reading", () => {
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

describe("a list", () => {
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

  test.each(["box=outbox", "with=nobody-at-all", "with=HX-000001", `with=hx${"0".repeat(24)}`, "with=%00"])(
    "refuses %s",
    async (query) => {
      const answer = await ada.client.call("GET", `${MESSAGES}?${query}`)
      expect([outcome(answer), fieldOf(answer)]).toEqual(["422 validation_error", query.split("=")[0]])
    }
  )
})

test("its recipient is told of it once: how it begins, who wrote it, where it is; its sender is not", async () => {
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
    excerpt: expect.stringMatching(/^Hear word word .*…$/),
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

test("what it says stands in no line that a process writes", async () => {
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
