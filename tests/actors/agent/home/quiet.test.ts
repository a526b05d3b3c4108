/** When an agent's own state tells that nothing is new: never while a reply may have come that nobody told it of. */
import { expect, test } from "vitest"
import { evolve } from "../../../../actors/agent/evolve.ts"
import { isQuiet } from "../../../../actors/agent/home/quiet.ts"
import type { Agent, AgentEvent, AgentState } from "../../../../actors/agent/state.ts"
import { registered } from "../../../support/registered.ts"

const START = 1_800_000_000_000
const LATER = START + 60_000

const after = (state: AgentState, at: number, ...events: ReadonlyArray<AgentEvent>): Agent => {
  const next = events.reduce((folded, event) => evolve(folded, event, { at }), state)
  if (next === null) throw new Error("an agent that is registered is there")
  return next
}
const agent = after(null, START, ...registered({}))
const watched: AgentEvent = { type: "agent.watched", v: 1, thread: 7, automatic: true }
const told: ReadonlyArray<AgentEvent> = [
  { type: "agent.notified", v: 1, notification: 3, about: "thread.activity", payload: {} },
  { type: "agent.activity_told", v: 1, thread: 7, notification: 3 }
]
const seen: AgentEvent = { type: "agent.activity_seen", v: 1, thread: 7 }

test("nothing has come since long after the last that came", () => {
  expect(isQuiet(agent, LATER)).toBe(true)
  expect(isQuiet(after(agent, START, watched), LATER)).toBe(true)
})

test.each([
  ["a notification", told.slice(0, 1)],
  ["a thread that it watches from then on", [watched]]
])("%s came since then, or a moment before", (_what, events) => {
  const stirred = after(agent, LATER, ...events)
  expect([LATER - 1, LATER, LATER + 9_999, LATER + 10_000].map((since) => isQuiet(stirred, since))).toEqual([
    false,
    false,
    false,
    true
  ])
})

test("while it has not read what a thread told, further replies come silently", () => {
  const unread = after(agent, START, watched, ...told)
  expect(isQuiet(unread, START + 10 * LATER)).toBe(false)
  const read = after(unread, LATER, seen)
  // The thread hears a moment later that it was read.
  expect([isQuiet(read, LATER + 1000), isQuiet(read, LATER + 10_000)]).toEqual([false, true])
})
