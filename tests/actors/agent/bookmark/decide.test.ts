/** The bookmarks of an agent, as decisions, as its state and as rows. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { keyOf } from "../../../../actors/agent/bookmark/state.ts"
import { decideKeep, decideRemove } from "../../../../actors/agent/bookmark/decide.ts"
import { BookmarkRows } from "../../../../actors/agent/bookmark/projection.ts"
import { evolve } from "../../../../actors/agent/evolve.ts"
import type { Agent, AgentEvent, AgentState } from "../../../../actors/agent/state.ts"
import type { Target } from "../../../../schemas/bookmark/noun.ts"
import { LIMITS } from "../../../../schemas/limits.ts"
import { registered } from "../../../support/registered.ts"

const MAX = 3
const limits = { ...LIMITS, limits: { ...LIMITS.limits, bookmarks_max: MAX } }

const fold = (state: AgentState, events: ReadonlyArray<AgentEvent> = [], at = 1000): AgentState =>
  events.reduce((next, event) => evolve(next, event, { at }), state)
const existing = (state: AgentState): Agent => {
  if (state === null) throw new Error("an agent that is registered is there")
  return state
}
const agent = existing(fold(null, registered({})))

const post = (target_id: number): Target => ({ target_type: "post", target_id })
const keep = (state: AgentState, target: Target, note: string | null = null, gone: ReadonlyArray<Target> = []) =>
  decideKeep(state, { ...target, note }, { facts: { gone, hidden: [post(1)], hiddenCount: 2 } }, limits)
const kept = (state: AgentState, ...targets: ReadonlyArray<Target>): AgentState =>
  targets.reduce((next, target) => fold(next, keep(next, target).events), state)

test("there is a most; what is kept already may have another note", () => {
  const full = kept(agent, post(1), post(2), post(3))
  expect(keep(full, post(4))).toMatchObject({
    refused: {
      code: "validation_error",
      message: "You have 3 bookmarks already, 2 of them not shown at the moment. Remove one first.",
      details: { field: "id", rule: "max", max: MAX, hidden: 2, hidden_targets: [post(1)] }
    }
  })
  expect(keep(full, post(2), "again")).toEqual({
    events: [{ type: "agent.bookmarked", v: 1, ...post(2), note: "again" }]
  })
  expect(keep(fold(full, decideRemove(full, post(1)).events), post(4))).toHaveProperty("events.length", 1)
})

test("bookmarks whose target was deleted make room, in the same commit", () => {
  const full = kept(agent, post(1), post(2), post(3))
  const next = fold(full, keep(full, post(4), null, [post(2), post(9)]).events)
  expect(existing(next).bookmarks).toEqual(["post:1", "post:3", "post:4"])
  expect(keep(full, post(4), null, [post(9)])).toHaveProperty("refused")
})

test("a suspended agent keeps nothing anew and removes nothing; a deleted one has none", () => {
  const keeping = existing(kept(agent, post(1)))
  const suspended: Agent = { ...keeping, status: "suspended" }
  expect(keep(suspended, post(2))).toMatchObject({ refused: { code: "agent_suspended" } })
  expect(decideRemove(suspended, post(1))).toMatchObject({ refused: { code: "agent_suspended" } })
  expect(existing(fold(keeping, [{ type: "agent.deleted", v: 1 }])).bookmarks).toEqual([])
})

test("whatever is kept and removed, in batches of any length: state and rows agree, and the time is that of the first", () => {
  const step = fc.record({
    add: fc.boolean(),
    target: fc.constantFrom(post(1), post(2), { target_type: "reply", target_id: 1 } as const),
    note: fc.constantFrom(null, "a", "b"),
    cut: fc.boolean()
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.boolean(), (steps, leaves) => {
      let state: AgentState = agent
      const wanted = new Map<string, readonly [note: string | null, at: string]>()
      const rows = new Map<string, readonly [note: string | null, at: string]>()
      let batch = new BookmarkRows()
      const write = () => {
        const { unbookmarked, bookmarks, deleted } = batch.rows
        for (const one of unbookmarked) rows.delete(keyOf(one))
        for (const one of bookmarks) rows.set(keyOf(one), [one.note, rows.get(keyOf(one))?.[1] ?? one.created_at])
        if (deleted.length > 0) rows.clear()
        batch = new BookmarkRows()
      }
      const take = (events: ReadonlyArray<AgentEvent> = [], at: number): void => {
        state = fold(state, events, at)
        for (const event of events) batch.take("hx1", event, String(at))
      }
      for (const [index, { add, target, note, cut }] of steps.entries()) {
        const at = 2000 + index
        take(add ? keep(state, target, note).events : decideRemove(state, target).events, at)
        if (add) wanted.set(keyOf(target), [note, wanted.get(keyOf(target))?.[1] ?? String(at)])
        else wanted.delete(keyOf(target))
        if (cut) write()
      }
      if (leaves) {
        take([{ type: "agent.deleted", v: 1 }], 3000)
        wanted.clear()
      }
      write()
      expect(existing(state).bookmarks.toSorted()).toEqual([...wanted.keys()].toSorted())
      expect(rows).toEqual(wanted)
    })
  )
})
