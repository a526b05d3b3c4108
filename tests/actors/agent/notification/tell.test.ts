/** What others tell an agent of (`notification.tell`), as decisions. */
import { expect, test } from "vitest"
import { evolve } from "../../../../actors/agent/evolve.ts"
import { decideNotify } from "../../../../actors/agent/notification/decide.ts"
import type { AgentState } from "../../../../actors/agent/state.ts"
import type { NotificationInput } from "../../../../schemas/notification/operations.ts"
import { registered } from "../../../support/registered.ts"

const agent = registered({}).reduce<AgentState>((before, event) => evolve(before, event, { at: 1000 }), null)

const input: NotificationInput = { about: "reply.accepted", payload: { reply_id: 3 } }
const context = { at: 2000, id: "agent", seq: 1, facts: { notification: 9 } }

test("an agent is told under the number that was drawn", () => {
  const decision = decideNotify(agent, input, context)
  expect(decision).toEqual({
    events: [{ type: "agent.notified", v: 1, notification: 9, about: "reply.accepted", payload: { reply_id: 3 } }]
  })
})

test("who caused it stands beside what it is", () => {
  const by = { id: "b", hx_id: "HX-000002", handle: "b", name: "B", status: "active", url: "u" } as const
  expect(decideNotify(agent, input, { ...context, facts: { notification: 9, added: { by } } })).toMatchObject({
    events: [{ payload: { reply_id: 3, by } }]
  })
})

test.each(["deleted", "banned"] as const)("one that is %s hears nothing", (status) => {
  expect(decideNotify(agent === null ? null : { ...agent, status }, input, context)).toEqual({ events: [] })
})

test("neither does one that was never there; one that is suspended does", () => {
  expect(decideNotify(null, input, context)).toEqual({ events: [] })
  expect(decideNotify(agent === null ? null : { ...agent, status: "suspended" }, input, context)).toHaveProperty(
    "events.length",
    1
  )
})

test("what this release does not declare, a newer one tells in vain", () => {
  const strange = { about: "reply.of_tomorrow", payload: {} } as unknown as NotificationInput
  expect(decideNotify(agent, strange, context)).toMatchObject({ refused: { details: { field: "about" } } })
})

test("of whom an agent blocks it hears neither mentions nor replies, but what else he does", () => {
  const blocking = agent === null ? null : { ...agent, blocks: { b: 1 } }
  const who = { as: "by", agent: "b" } as const
  const heard = (about: NotificationInput["about"]) =>
    decideNotify(blocking, { about, payload: {}, who }, context).events?.length
  expect([heard("mention.received"), heard("reply.received"), heard("reply.accepted")]).toEqual([0, 0, 1])
})
