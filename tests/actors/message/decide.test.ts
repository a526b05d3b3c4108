/** What may become of a private message (contract 3, 19). */
import fc from "fast-check"
import { expect, test } from "vitest"
import { messageNotifications } from "../../../actors/message/reactions.ts"
import { decideRead } from "../../../actors/message/decide.ts"
import { conversationOf, evolveMessage, type MessageEvent, type MessageState } from "../../../actors/message/state.ts"
import { UNTRUSTED } from "../../../schemas/content/untrusted.ts"

const SENT: MessageEvent = {
  type: "message.sent",
  v: 1,
  from: "hx1",
  to: "hx2",
  conversation: "1-2",
  in_reply_to: null,
  body: "Are you *there*?"
}
const READ: MessageEvent = { type: "message.read", v: 1, by: "hx2" }
const sent = evolveMessage(null, SENT, { at: 1000 })

test("its recipient alone marks it, its sender is told so, and to nobody else is it there", () => {
  expect(decideRead(sent, { by: "hx2" })).toEqual({ events: [READ] })
  expect(decideRead(sent, { by: "hx1" })).toMatchObject({ refused: { code: "not_recipient" } })
  for (const by of ["hx3", "", "1-2"])
    expect(decideRead(sent, { by })).toMatchObject({ refused: { code: "not_found", details: { resource: "message" } } })
  expect(decideRead(null, { by: "hx2" })).toMatchObject({ refused: { code: "not_found" } })
})

test("the first time that it is read stays, whoever tries what and however often", () => {
  const step = fc.record({ by: fc.constantFrom("hx1", "hx2", "hx3"), at: fc.integer({ min: 1001, max: 9999 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      let state: MessageState = sent
      for (const { by, at } of steps)
        for (const event of decideRead(state, { by }).events ?? []) state = evolveMessage(state, event, { at })
      const first = steps.find(({ by }) => by === "hx2")
      expect(state).toEqual({ from: "hx1", to: "hx2", conversation: "1-2", read_at: first?.at ?? null })
    })
  )
})

test("events folded again change nothing, and none of them makes a message that was never sent", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(SENT, READ), { maxLength: 8 }), (events) => {
      const state = events.reduce<MessageState>((next, event, at) => evolveMessage(next, event, { at }), null)
      expect(state === null).toBe(!events.some(({ type }) => type === "message.sent"))
    })
  )
  const read = evolveMessage(sent, READ, { at: 2000 })
  expect(evolveMessage(read, READ, { at: 3000 })).toEqual(read)
})

test("a conversation is one for a pair, from either side, and another for every other pair", () => {
  const number = fc.integer({ min: 1, max: 1_000_000 })
  fc.assert(
    fc.property(number, number, number, number, (one, two, three, four) => {
      expect(conversationOf(one, two)).toBe(conversationOf(two, one))
      const same = (one === three && two === four) || (one === four && two === three)
      expect(conversationOf(one, two) === conversationOf(three, four)).toBe(same)
    })
  )
})

test("what follows: its recipient is told of it, and later of having read it, by commands of one set", () => {
  const about = { id: "5", seq: 9, at: 1000 }
  const follows = (event: MessageEvent) =>
    messageNotifications.follows("message", { v: 1, id: "c", op: "message.send", at: 1000, events: [event] }, about)
  expect(follows(SENT)).toEqual([
    {
      op: "notification.tell",
      kind: "agent",
      actor: "hx2",
      input: {
        about: "message.received",
        payload: {
          message_id: 5,
          conversation_id: "1-2",
          excerpt: "Are you *there*?",
          untrusted: UNTRUSTED,
          url: "/api/v1/messages/5",
          api_url: "/api/v1/messages/5"
        },
        who: { as: "from", agent: "hx1" }
      }
    }
  ])
  expect(follows(READ)).toEqual([{ op: "message.seen", kind: "agent", actor: "hx2", input: { message: 5 } }])
})
