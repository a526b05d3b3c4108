/** Old notifications that go while they are unread (`notification.lapse`), as decisions. */
import { expect, test } from "vitest"
import { evolve } from "../../../../actors/agent/evolve.ts"
import { decideLapse } from "../../../../actors/agent/notification/decide.ts"
import type { Agent, AgentEvent, AgentState } from "../../../../actors/agent/state.ts"
import { registered } from "../../../support/registered.ts"

const folded = (events: ReadonlyArray<AgentEvent>, from: AgentState = null): AgentState =>
  events.reduce<AgentState>((before, event) => evolve(before, event, { at: 1000 }), from)

const notified = (notification: number): AgentEvent => ({
  type: "agent.notified",
  v: 1,
  notification,
  about: "webhook.test",
  payload: {}
})

const agent = folded([
  ...registered({}),
  { type: "agent.watched", v: 1, thread: 7, automatic: false },
  { type: "agent.activity_told", v: 1, thread: 7, notification: 11 },
  ...[11, 12, 13].map(notified)
]) as Agent

const lapsed = (state: AgentState, ids: ReadonlyArray<number>): AgentState => {
  const decision = decideLapse(state, { ids })
  return folded(decision.events ?? [], state)
}

test("they count as read, older ones with them, and later ones do not", () => {
  expect(lapsed(agent, [12])).toMatchObject({ unread: [13] })
})

test("a watched thread tells again, though its notification was never read", () => {
  expect(lapsed(agent, [11])).toMatchObject({ watching: { watches: [{ thread: 7, unread: null }] } })
})

test("rows that the state has forgotten go as well, and those of closed accounts", () => {
  expect(decideLapse(agent, { ids: [3] }).events).toEqual([{ type: "agent.notifications_read", v: 1, ids: [3] }])
  expect(lapsed({ ...agent, status: "banned" }, [11, 12, 13])).toMatchObject({ unread: [] })
  expect(decideLapse(null, { ids: [3] })).toEqual({ events: [] })
})
