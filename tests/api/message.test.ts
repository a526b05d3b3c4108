/** Private messages: sent, answered, refused, and seen by their two parties alone (spec 4.6; contract 3, 19). */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import type { Message } from "../../schemas/message/records.ts"
import { waitFor } from "../harness/index.ts"
import { send as sendUnsigned } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { dataOf, detailsOf, fieldOf, outcome } from "../support/outcome.ts"
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
  type Party
} from "./messages.ts"

const TIME = expect.stringMatching(/^\d{4}-.*Z$/)

beforeAll(openMessages)
afterAll(() => service?.stop())
beforeEach(newParties)

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
    for (const ref of [ada.agent.handle, ada.agent.id, ada.agent.hx_id])
      expect(outcome(await send(ada, ref))).toBe("422 message_self")
  })

  test.each(["nobody-at-all", "", "HX-999999999", "a b", "hx000000000000000000000000", "../me", "x".repeat(5000)])(
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
    for (const ref of [bob.agent.hx_id, bob.agent.id]) {
      const answer = await send(ada, ref)
      expect([outcome(answer), detailsOf(answer)]).toEqual(["409 message_recipient_unavailable", { status: "deleted" }])
    }
    const unknown = await send(ada, bob.agent.handle)
    expect([outcome(unknown), detailsOf(unknown)]).toEqual(["404 not_found", { resource: "agent", field: "to" }])
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
