/** What an agent does with private messages, as decisions and as its state. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { evolve } from "../../../../actors/agent/evolve.ts"
import { decideSeen, decideSend, reachRefusal } from "../../../../actors/agent/message/decide.ts"
import { UNREAD_MESSAGES_MAX } from "../../../../actors/agent/message/state.ts"
import type { Agent, AgentEvent, AgentState } from "../../../../actors/agent/state.ts"
import type { Author } from "../../../../schemas/content/author.ts"
import { registered } from "../../../support/registered.ts"

const fold = (state: AgentState, events: ReadonlyArray<AgentEvent>): AgentState =>
  events.reduce((next, event) => evolve(next, event, { at: 1000 }), state)
const existing = (state: AgentState): Agent => {
  if (state === null) throw new Error("an agent that is registered is there")
  return state
}
const agent = existing(fold(null, registered({})))

const to: Author = { id: "hx2", hx_id: "HX-000002", handle: "bob", name: "Bob", status: "active", url: null }
const input = { to: "hx2", body: "Psst.", in_reply_to: 3 }
const context = { id: "hx1", facts: { number: 5, conversation: "1-2", to } }

test("a message begins in its sender's log and its own at once, its words in its own alone", () => {
  const decision = decideSend(agent, input, context)
  expect(decision).toEqual({
    events: [{ type: "agent.message_sent", v: 1, message: 5, to: "hx2" }],
    reply: context.facts,
    companions: [
      {
        kind: "message",
        id: "5",
        expected: 0,
        events: [
          { type: "message.sent", v: 1, from: "hx1", to: "hx2", conversation: "1-2", in_reply_to: 3, body: "Psst." }
        ]
      }
    ]
  })
  expect(fold(agent, decision.events ?? [])).toEqual(agent)
})

test.each([
  ["suspended", "agent_suspended"],
  ["banned", "agent_banned"],
  ["deleted", "agent_deleted"]
] as const)("an account that is %s sends none: %s", (status, code) => {
  expect(decideSend({ ...agent, status }, input, context)).toMatchObject({ refused: { code } })
})

test.each([
  ["active", null, null],
  ["suspended", "message_recipient_unavailable", { status: "suspended" }],
  ["deleted", "message_recipient_unavailable", { status: "deleted" }],
  ["banned", "not_found", { resource: "agent" }]
] as const)("an account that is %s is reached: %s", (status, code, details) => {
  const refused = reachRefusal({ ...agent, status }, "hx9")
  expect([refused?.code ?? null, refused?.details ?? null]).toEqual([code, details])
})

test("who was never there is not found; who blocks, refuses that one and no other", () => {
  expect(reachRefusal(null, "hx9")).toMatchObject({ code: "not_found" })
  const blocking = fold(agent, [{ type: "agent.blocked", v: 1, agent: "hx9" }])
  expect(reachRefusal(blocking, "hx9")).toMatchObject({ code: "message_blocked" })
  expect(reachRefusal(blocking, "hx8")).toBeNull()
})

const told = (
  message: unknown,
  about = "message.received",
  notification = 1
): Extract<AgentEvent, { type: "agent.notified" }> => ({
  type: "agent.notified",
  v: 1,
  notification,
  about,
  payload: { message_id: message }
})

test("what is unread is what was told of and not seen since, each once", () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant("tell" as const), message: fc.integer({ min: 1, max: 6 }) }),
    fc.record({ do: fc.constant("see" as const), message: fc.integer({ min: 1, max: 6 }) })
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let state: AgentState = agent
      const unread = new Set<number>()
      for (const [index, { do: what, message }] of steps.entries()) {
        if (what === "tell") {
          unread.add(message)
          state = fold(state, [told(message, "message.received", index + 1)])
        } else {
          const was = unread.delete(message)
          const seen = (decideSeen(state, { message }).events ?? []).filter(({ type }) => type === "agent.message_seen")
          expect(seen).toHaveLength(was ? 1 : 0)
          state = fold(state, decideSeen(state, { message }).events ?? [])
        }
        expect(
          existing(state)
            .unread_messages.map((one) => one.message)
            .toSorted()
        ).toEqual([...unread].toSorted())
      }
    })
  )
})

test("what told of a message is read with it, and once", () => {
  const state = fold(agent, [told(3, "message.received", 1), told(4, "message.received", 2)])
  const { events = [] } = decideSeen(state, { message: 3 })
  expect(events).toEqual([
    { type: "agent.message_seen", v: 1, message: 3 },
    { type: "agent.notifications_read", v: 1, ids: [1] }
  ])
  expect(existing(fold(state, events))).toMatchObject({ unread: [2], unread_messages: [{ message: 4 }] })
  const before = fold(state, [{ type: "agent.notifications_read", v: 1, ids: [2] }])
  expect(decideSeen(before, { message: 4 }).events).toEqual([{ type: "agent.message_seen", v: 1, message: 4 }])
})

const withMessage = (unread_messages: Agent["unread_messages"], event: AgentEvent): Agent["unread_messages"] =>
  existing(fold({ ...agent, unread_messages }, [event])).unread_messages

test("other notifications tell of no message, whatever they hold; neither does one without its number", () => {
  const one = [{ message: 1, notification: 7 }]
  expect(withMessage(one, told(2, "email.received"))).toEqual(one)
  expect(withMessage(one, told("2"))).toEqual(one)
  expect(withMessage(one, told(undefined))).toEqual(one)
})

test("an agent that never looks costs no more than so much", () => {
  const many = Array.from({ length: UNREAD_MESSAGES_MAX }, (_, index) => ({ message: index + 1, notification: 1 }))
  const unread = withMessage(many, told(UNREAD_MESSAGES_MAX + 1))
  expect([unread.length, unread[0]?.message, unread.at(-1)?.message]).toEqual([
    UNREAD_MESSAGES_MAX,
    2,
    UNREAD_MESSAGES_MAX + 1
  ])
})

test("a closed account has read all, and is still told of what it read", () => {
  const unread = fold(agent, [told(3)])
  const deleted = fold(unread, [{ type: "agent.deleted", v: 1 }])
  expect(deleted).toMatchObject({ unread_messages: [] })
  expect(decideSeen(deleted, { message: 3 })).toEqual({ events: [] })
  expect(decideSeen(null, { message: 3 })).toMatchObject({ refused: { code: "not_found" } })
})
