/** Decisions on an agent and what they fold into (spec 3.1; contract 12), by example and over any history. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { decideDelete, decideRole, decideSystem, decideUpdate } from "../../../actors/agent/profile/decide.ts"
import { evolve } from "../../../actors/agent/evolve.ts"
import type { Agent, AgentEvent, AgentState } from "../../../actors/agent/state.ts"
import { scoreEntries } from "../../../actors/agent/score/entries.ts"
import type { Decision } from "../../../actors/engine/definition.ts"
import {
  decideBan,
  decideReinstate as reinstate,
  decideSuspend as suspend
} from "../../../actors/agent/moderation/decide.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { registered as newAgent } from "../../support/registered.ts"

const fold = (state: AgentState, events: ReadonlyArray<AgentEvent>): AgentState =>
  events.reduce<AgentState>((before, event) => evolve(before, event, { at: 1000 }), state)

const registered = fold(
  null,
  newAgent({
    number: 7,
    handle: "someone",
    name: "Someone",
    description: "d",
    transparency: "t",
    links: [{ label: "l", url: "https://a.example" }],
    webhook_url: "https://hook.example"
  })
) as Agent

const after = (state: AgentState, decision: Decision<AgentEvent>): Agent => {
  if ("refused" in decision) throw new Error(`refused: ${decision.refused.code}`)
  return fold(state, decision.events) as Agent
}

const codeOf = (decision: Decision<AgentEvent>): string => ("refused" in decision ? decision.refused.code : "done")

const because = { reason: "a test" }
const BAN = { id: "someone", at: 1_800_000_000_000 }
const context = { at: 1000, facts: { notification: 7 } }
const decideSuspend = (state: AgentState, input: typeof because) => suspend(state, input, context)
const decideReinstate = (state: AgentState, input: typeof because) => reinstate(state, input, context, LIMITS)

describe("by example", () => {
  test("a new agent is active, with the trust it starts at and an entry for it", () => {
    expect(registered).toMatchObject({
      status: "active",
      trust: 10,
      trust_sum: 10,
      reputation: 0,
      entries: 1,
      keys: [{ public_key: "key", from: 1000 }],
      created_at: 1000
    })
  })

  test("suspension takes what trust there is, up to 30; reinstatement gives back just that", () => {
    for (const [trust, taken] of [
      [10, 10],
      [30, 30],
      [85, 30],
      [0, 0]
    ] as const) {
      const standing = { ...registered, trust, trust_sum: trust }
      const suspended = after(standing, decideSuspend(standing, because))
      expect(suspended).toMatchObject({ status: "suspended", trust: trust - taken, trust_withheld: taken })
      expect(after(suspended, decideReinstate(suspended, because))).toMatchObject({
        status: "active",
        trust,
        trust_withheld: 0
      })
    }
  })

  test("deletion empties the profile and keeps what stays taken", () => {
    expect(after(registered, decideDelete(registered, { confirm: "someone" }))).toEqual({
      ...registered,
      status: "deleted",
      name: "Deleted agent",
      description: "",
      transparency: "",
      links: [],
      roles: [],
      webhook_url: null,
      webhook_secret: null
    })
  })

  const suspended = after(registered, decideSuspend(registered, because))
  const banned = after(registered, decideBan(registered, because, BAN))
  const deleted = after(registered, decideDelete(registered, { confirm: "someone" }))
  const decisions: ReadonlyArray<
    readonly [string, (state: AgentState) => Decision<AgentEvent>, ReadonlyArray<string>]
  > = [
    [
      "update",
      (state) => decideUpdate(state, { name: "x" }, true),
      ["done", "agent_suspended", "agent_banned", "agent_deleted", "not_found"]
    ],
    [
      "delete",
      (state) => decideDelete(state, { confirm: "someone" }),
      ["done", "done", "agent_banned", "agent_deleted", "not_found"]
    ],
    [
      "suspend",
      (state) => decideSuspend(state, because),
      ["done", "validation_error", "validation_error", "validation_error", "not_found"]
    ],
    [
      "reinstate",
      (state) => decideReinstate(state, because),
      ["validation_error", "done", "validation_error", "validation_error", "not_found"]
    ],
    [
      "ban",
      (state) => decideBan(state, because, BAN),
      ["done", "done", "validation_error", "validation_error", "not_found"]
    ],
    [
      "role",
      (state) => decideRole(state, { role: "operator", granted: true }),
      ["done", "done", "done", "not_found", "not_found"]
    ],
    ["system", (state) => decideSystem(state, { is_system: true }), ["done", "done", "done", "not_found", "not_found"]]
  ]
  test.each(decisions)(
    "%s, of one that is active, suspended, banned, deleted, never there",
    (_name, decide, expected) => {
      expect([registered, suspended, banned, deleted, null].map((state) => codeOf(decide(state)))).toEqual(expected)
    }
  )

  test("the platform's own account stays, and a wrong confirmation deletes nothing", () => {
    expect(codeOf(decideDelete({ ...registered, is_system: true }, { confirm: "someone" }))).toBe("platform_account")
    for (const confirm of ["", "Someone", "someone ", "other"])
      expect(codeOf(decideDelete(registered, { confirm }))).toBe("confirmation_required")
  })

  test("webhooks go over https in production, over http as well in development", () => {
    expect(codeOf(decideUpdate(registered, { webhook_url: "http://a.example:8080" }, true))).toBe("validation_error")
    expect(codeOf(decideUpdate(registered, { webhook_url: "http://a.example:8080" }, false))).toBe("done")
    expect(after(registered, decideUpdate(registered, { webhook_url: null }, true)).webhook_url).toBeNull()
  })

  test("what is so already makes no event; a role that does not exist is refused", () => {
    expect(decideRole(registered, { role: "operator", granted: false })).toEqual({ events: [] })
    expect(decideSystem(registered, { is_system: false })).toEqual({ events: [] })
    expect(codeOf(decideRole(registered, { role: "emperor", granted: true }))).toBe("validation_error")
  })
})

describe("over any history", () => {
  const command: fc.Arbitrary<(state: AgentState) => Decision<AgentEvent>> = fc.oneof(
    fc
      .record({ name: fc.string(), description: fc.string() }, { requiredKeys: [] })
      .map((change) => (state: AgentState) => decideUpdate(state, change, true)),
    fc.constantFrom("someone", "other").map((confirm) => (state: AgentState) => decideDelete(state, { confirm })),
    fc.constant((state: AgentState) => decideSuspend(state, because)),
    fc.constant((state: AgentState) => decideReinstate(state, because)),
    { weight: 1, arbitrary: fc.constant((state: AgentState) => decideBan(state, because, BAN)) },
    fc.boolean().map((granted) => (state: AgentState) => decideRole(state, { role: "operator", granted })),
    fc.tuple(fc.constantFrom("trust" as const, "reputation" as const), fc.integer({ min: -60, max: 60 })).map(
      ([score, wanted]) =>
        (state: AgentState) =>
          state === null
            ? { events: [] }
            : { events: scoreEntries(state, [{ score, delta: wanted, reason: "drawn by lot", target: null }]) }
    )
  )

  const STEPS: Readonly<Record<Agent["status"], ReadonlyArray<Agent["status"]>>> = {
    active: ["active", "suspended", "banned", "deleted"],
    suspended: ["suspended", "active", "banned", "deleted"],
    banned: ["banned"],
    deleted: ["deleted"]
  }

  test("states follow each other as they may, scores are the sum of their entries, and identity never changes", () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        let state = registered
        const entries: Array<Extract<AgentEvent, { type: "agent.score_changed" }>> = []
        for (const decide of commands) {
          const { events = [] } = decide(state)
          const next = fold(state, events) as Agent
          expect(STEPS[state.status]).toContain(next.status)
          expect([next.number, next.handle, next.keys, next.created_at]).toEqual([
            registered.number,
            registered.handle,
            registered.keys,
            registered.created_at
          ])
          if (state.status === "deleted") expect([next.name, next.description]).toEqual(["Deleted agent", ""])
          for (const event of events) if (event.type === "agent.score_changed") entries.push(event)
          state = next
        }
        expect(entries.map(({ entry }) => entry)).toEqual(entries.map((_, index) => index + 2))
        const sum = (score: "trust" | "reputation") =>
          entries.filter((entry) => entry.score === score).reduce((total, { delta }) => total + delta, 0)
        expect([state.trust, state.reputation]).toEqual([10 + sum("trust"), sum("reputation")])
        expect(state.trust).toBeGreaterThanOrEqual(0)
        expect(state.trust).toBeLessThanOrEqual(100)
      })
    )
  })

  test("events are absolute: one that is folded twice changes nothing more", () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 20 }), (commands) => {
        let state: AgentState = registered
        for (const decide of commands) {
          for (const event of decide(state).events ?? []) {
            state = evolve(state, event, { at: 1 })
            expect(evolve(state, event, { at: 1 })).toEqual(state)
          }
        }
      })
    )
  })
})
