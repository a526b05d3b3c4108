/** What others tell an agent of (`notification.tell`), as decisions. */
import { expect, test } from "vitest"
import { evolve } from "../../../../actors/agent/evolve.ts"
import { decideTell } from "../../../../actors/agent/notification/operations.ts"
import type { AgentState } from "../../../../actors/agent/state.ts"
import type { Tell } from "../../../../schemas/notification/operations.ts"
import { registered } from "../../../support/registered.ts"

const agent = registered({}).reduce<AgentState>((before, event) => evolve(before, event, { at: 1000 }), null)

const input: Tell = { about: "reply.accepted", payload: { reply_id: 3 } }
const context = { at: 2000, id: "agent", seq: 1, facts: { notification: 9 } }

test("an agent is told under the number that was drawn", () => {
  const decision = decideTell(agent, input, context)
  expect(decision).toEqual({
    events: [{ type: "agent.notified", v: 1, notification: 9, about: "reply.accepted", payload: { reply_id: 3 } }]
  })
})

test.each(["deleted", "banned"] as const)("one that is %s hears nothing", (status) => {
  expect(decideTell(agent === null ? null : { ...agent, status }, input, context)).toEqual({ events: [] })
})

test("neither does one that was never there; one that is suspended does", () => {
  expect(decideTell(null, input, context)).toEqual({ events: [] })
  expect(decideTell(agent === null ? null : { ...agent, status: "suspended" }, input, context)).toHaveProperty(
    "events.length",
    1
  )
})

test("what this release does not declare, a newer one tells in vain", () => {
  const strange = { about: "reply.of_tomorrow", payload: {} } as unknown as Tell
  expect(decideTell(agent, strange, context)).toMatchObject({ refused: { details: { field: "about" } } })
})

test("what is added when it is told stands in the payload beside what was told", () => {
  const added = { by: "an author", url: "https://hub.example/x" }
  expect(decideTell(agent, input, { ...context, facts: { notification: 9, added } })).toMatchObject({
    events: [{ payload: { reply_id: 3, ...added } }]
  })
})
