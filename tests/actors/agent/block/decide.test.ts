/** Whom an agent blocks, as decisions and as its state (contract 3, 19). */
import fc from "fast-check"
import { expect, test } from "vitest"
import { blocks, decideBlock, decideUnblock } from "../../../../actors/agent/block/decide.ts"
import { BlockRows } from "../../../../actors/agent/block/projection.ts"
import { evolve } from "../../../../actors/agent/evolve.ts"
import type { Agent, AgentEvent, AgentState } from "../../../../actors/agent/state.ts"
import type { Author } from "../../../../schemas/content/author.ts"
import { LIMITS } from "../../../../schemas/limits.ts"
import { registered } from "../../../support/registered.ts"

const MAX = 3
const limits = { ...LIMITS, limits: { ...LIMITS.limits, blocks_max: MAX } }

const fold = (state: AgentState, events: ReadonlyArray<AgentEvent>, at = 1000): AgentState =>
  events.reduce((next, event) => evolve(next, event, { at }), state)
const existing = (state: AgentState): Agent => {
  if (state === null) throw new Error("an agent that is registered is there")
  return state
}
const agent = existing(fold(null, registered({})))

const author = (id: string, status: Author["status"] = "active"): Author => {
  return { id, hx_id: "HX-000002", handle: "bob", name: "Bob", status, url: null }
}
const block = (state: AgentState, other: string, status?: Author["status"]) =>
  decideBlock(state, { agent: other }, { id: "hx1", facts: author(other, status) }, limits)
const unblock = (state: AgentState, other: string) =>
  decideUnblock(state, { agent: other }, { id: "hx1", facts: author(other) })

test("nobody blocks himself, or who is banned; who is deleted, or blocked already, may be blocked", () => {
  expect(block(agent, "hx1")).toMatchObject({ refused: { details: { field: "agent" } } })
  expect(block(agent, "hx2", "banned")).toMatchObject({ refused: { code: "not_found" } })
  for (const status of ["suspended", "deleted"] as const)
    expect(block(agent, "hx2", status)).toHaveProperty("events.length", 1)
  const blocking = fold(agent, block(agent, "hx2").events ?? [])
  expect(block(blocking, "hx2", "banned")).toEqual({ events: [], reply: author("hx2", "banned") })
})

test("there is a most, which another takes no part of", () => {
  let state: AgentState = agent
  for (let index = 0; index < MAX; index++) state = fold(state, block(state, `hy${index}`).events ?? [])
  expect(block(state, "hz")).toMatchObject({
    refused: { code: "validation_error", details: { field: "agent", rule: "max", max: MAX } }
  })
  expect(block(state, "hy0")).toHaveProperty("events", [])
  expect(block(fold(state, unblock(state, "hy0").events ?? []), "hz")).toHaveProperty("events.length", 1)
})

test("a suspended agent blocks nobody anew; a deleted one blocks nobody any more", () => {
  expect(block({ ...agent, status: "suspended" }, "hx2")).toMatchObject({ refused: { code: "agent_suspended" } })
  const blocking = fold(agent, block(agent, "hx2").events ?? [])
  expect(blocks(existing(blocking), "hx2")).toBe(true)
  expect(blocks(existing(fold(blocking, [{ type: "agent.deleted", v: 1 }])), "hx2")).toBe(false)
})

test.each(["constructor", "toString", "hasOwnProperty"])("nobody is blocked by the name of %s", (name) => {
  expect(blocks(agent, name)).toBe(false)
})

test("whoever is blocked and taken back: state and rows say the same, and the time is that of the first", () => {
  const step = fc.record({ add: fc.boolean(), other: fc.constantFrom("hx2", "hx3", "hx4"), cut: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let state: AgentState = agent
      const wanted = new Map<string, number>()
      const rows = new Map<string, string>()
      let batch = new BlockRows()
      const write = () => {
        for (const { blocked, created_at } of batch.rows.blocks) rows.set(blocked, created_at)
        for (const { blocked } of batch.rows.unblocked) rows.delete(blocked)
        batch = new BlockRows()
      }
      for (const [index, { add, other, cut }] of steps.entries()) {
        const at = 2000 + index
        const { events = [] } = add ? block(state, other) : unblock(state, other)
        state = fold(state, events, at)
        for (const event of events) batch.take("hx1", event, new Date(at).toISOString())
        if (!add) wanted.delete(other)
        else if (!wanted.has(other)) wanted.set(other, at)
        if (cut) write()
      }
      write()
      expect(existing(state).blocks).toEqual(Object.fromEntries(wanted))
      expect(rows).toEqual(new Map([...wanted].map(([other, at]) => [other, new Date(at).toISOString()])))
    })
  )
})
