/** Who is told of what happens in a thread, and when again. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { evolve } from "../../../actors/agent/evolve.ts"
import type { Agent, AgentEvent, AgentState } from "../../../actors/agent/state.ts"
import { beginning, decideActivity, ending, seenBy, watchedByWriting } from "../../../actors/agent/watch/decide.ts"
import { registered } from "../../support/registered.ts"
import { decideJoined, decideLeft, decideReplied, decideSeen } from "../../../actors/watch/decide.ts"
import { evolveWatch, NOBODY, type WatchEvent, WATCHERS_MAX, type WatchState } from "../../../actors/watch/state.ts"
import { WATCHES_MAX } from "../../../schemas/watch/records.ts"

const fold = (state: WatchState, events: ReadonlyArray<WatchEvent> = []): WatchState =>
  events.reduce(evolveWatch, state)
const joined = (state: WatchState, ...agents: ReadonlyArray<string>): WatchState =>
  agents.reduce((next, agent) => fold(next, decideJoined(next, { agent }).events), state)
const reply = (replies: number, author = "x", told: ReadonlyArray<string> = []) => ({
  reply: 100 + replies,
  author,
  title: "T",
  replies,
  told
})

describe("a thread's watchers", () => {
  test("are told once, and again only when they have read that, of all that came between", () => {
    let state = joined(NOBODY, "a", "b")
    const first = decideReplied(state, reply(7))
    const both = [
      { agent: "a", new_replies: 1 },
      { agent: "b", new_replies: 1 }
    ]
    expect(first.events).toEqual([
      { type: "watch.told", v: 1, reply: 107, title: "T", author: "x", replies: 7, agents: both }
    ])
    state = fold(state, first.events)
    expect(decideReplied(state, reply(8)).events).toEqual([])
    state = fold(state, decideSeen(state, { agent: "b" }).events)
    expect(decideReplied(state, reply(10)).events).toMatchObject([{ agents: [{ agent: "b", new_replies: 3 }] }])
  })

  test("do not hear of their own replies, nor of what they heard by another way", () => {
    const state = joined(NOBODY, "a", "b", "c")
    expect(decideReplied(state, reply(1, "a", ["b"])).events).toMatchObject([{ agents: [{ agent: "c" }] }])
    expect(decideReplied(joined(NOBODY, "a"), reply(1, "a")).events).toEqual([])
  })

  test("are once in it, no more than there is room for, and gone when they leave", () => {
    const full = joined(NOBODY, ...Array.from({ length: WATCHERS_MAX }, (_, at) => `w${at}`))
    expect(decideJoined(full, { agent: "late" }).events).toEqual([])
    expect(decideJoined(full, { agent: "w0" }).events).toEqual([])
    const one = fold(full, decideLeft(full, { agent: "w0" }).events)
    expect(one.watchers).toHaveLength(WATCHERS_MAX - 1)
    expect(decideLeft(one, { agent: "w0" }).events).toEqual([])
    expect(decideSeen(one, { agent: "w1" }).events).toEqual([])
  })
})

const watching = (before: AgentState, events: ReadonlyArray<AgentEvent>): Agent => {
  const agent = events.reduce<AgentState>((state, event) => evolve(state, event, { at: 1 }), before)
  if (agent === null) throw new Error("an agent that was registered is one")
  return agent
}
const NO_WATCHES = watching(null, registered({}))
const begun = (state: Agent, thread: number): Agent => {
  const decision = beginning(state, thread)
  return "refused" in decision ? state : watching(state, decision.events)
}

test("of whom it blocks an agent hears no activity, and of the next one again", () => {
  const agent: AgentState = { ...begun(NO_WATCHES, 1), blocks: { x: 1 } }
  const context = { id: "a", at: 2, seq: 1, facts: { notification: 9 } }
  const activity = { thread: 1, title: "T", new_replies: 1, last_reply: 7 }
  expect(decideActivity(agent, { ...activity, by: "x" }, context).events).toEqual([
    { type: "agent.activity_seen", v: 1, thread: 1 }
  ])
  expect(decideActivity(agent, { ...activity, by: "y" }, context).events).toMatchObject([
    { type: "agent.notified", about: "thread.activity" },
    { type: "agent.activity_told", notification: 9 }
  ])
  expect(decideActivity({ ...agent, status: "deleted" }, { ...activity, by: "y" }, context).events).toEqual([])
  expect(decideActivity(agent, { ...activity, thread: 2, by: "y" }, context).events).toEqual([])
})

describe("what an agent watches", () => {
  test("begins by writing, unless it was left; who asks for it is back", () => {
    const wrote = watching(NO_WATCHES, watchedByWriting(NO_WATCHES, 1))
    expect(wrote.watching.watches).toEqual([{ thread: 1, automatic: true, unread: null }])
    expect(watchedByWriting(wrote, 1)).toEqual([])
    const left = watching(wrote, ending(wrote, 1))
    expect(left.watching).toEqual({ watches: [], left: [1] })
    expect([watchedByWriting(left, 1), ending(left, 1)]).toEqual([[], []])
    expect(begun(left, 1).watching).toEqual({ watches: [{ thread: 1, automatic: false, unread: null }], left: [] })
    expect(begun(wrote, 1).watching.watches).toMatchObject([{ automatic: false }])
  })

  test("makes room by what began by itself, and is refused where nothing did", () => {
    const asked = Array.from({ length: WATCHES_MAX - 1 }, (_, at) => at + 2).reduce(
      begun,
      watching(NO_WATCHES, watchedByWriting(NO_WATCHES, 1))
    )
    const full = begun(asked, 9999)
    expect(full.watching.watches).toHaveLength(WATCHES_MAX)
    expect(full.watching.watches.some(({ thread }) => thread === 1)).toBe(false)
    expect(beginning(full, 10_000)).toMatchObject({ refused: { details: { max: WATCHES_MAX } } })
    expect(watchedByWriting(full, 10_000)).toEqual([])
  })

  test("has one notification to be read for each thread", () => {
    const told = watching(begun(begun(NO_WATCHES, 1), 2), [
      { type: "agent.activity_told", v: 1, thread: 1, notification: 50 }
    ])
    expect(seenBy(told, [50, 51])).toEqual([])
    expect(seenBy(told, [51])).toEqual([{ type: "agent.activity_seen", v: 1, thread: 1 }])
    expect(watching(told, seenBy(told, [])).watching.watches.map(({ unread }) => unread)).toEqual([null, null])
  })

  test("is never a thread twice, nor one that was left, whatever is tried", () => {
    const step = fc.tuple(fc.constantFrom("write", "begin", "end"), fc.integer({ min: 1, max: 4 }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        let state = NO_WATCHES
        for (const [what, thread] of steps) {
          if (what === "begin") state = begun(state, thread)
          else state = watching(state, what === "end" ? ending(state, thread) : watchedByWriting(state, thread))
          const { watches, left } = state.watching
          const threads = watches.map((one) => one.thread)
          expect(new Set(threads).size).toBe(threads.length)
          expect(threads.filter((one) => left.includes(one))).toEqual([])
        }
      })
    )
  })
})
