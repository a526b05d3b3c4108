/** Decisions on a webhook that fails (contract 4): when its agent is warned, when it is switched off. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Agent, AgentEvent } from "../../../../actors/agent/state.ts"
import type { Decision } from "../../../../actors/engine/definition.ts"
import { decideAttempted, destination } from "../../../../actors/agent/webhook/decide.ts"
import type { Attempted } from "../../../../schemas/webhook/operations.ts"
import { LIMITS } from "../../../../schemas/limits.ts"
import { URL_SET, HOUR, START, fold, agent, eventsOf, after, context, withHook } from "./agent.ts"

describe("failures", () => {
  const failed: Attempted = { url: URL_SET, delivered: false, gone: false }
  const taken: Attempted = { url: URL_SET, delivered: true, gone: false }
  const attempted = (state: Agent, what: Attempted, at: number) => decideAttempted(state, what, context(at), LIMITS)
  const typesOf = (decision: Decision<AgentEvent>) => eventsOf(decision).map(({ type }) => type)

  test("the first is noted, a success forgets it, and what changes nothing costs nothing", () => {
    expect(eventsOf(attempted(agent, taken, START))).toEqual([])
    const failing = after(agent, attempted(agent, failed, START), START)
    expect(failing.webhook.failing).toEqual({ since: START, warned: false })
    expect(eventsOf(attempted(failing, failed, START + HOUR))).toEqual([])
    expect(after(failing, attempted(failing, taken, START + HOUR)).webhook.failing).toBeNull()
  })

  test("warned once after a day, switched off after three without any success", () => {
    const failing = withHook({ failing: { since: START, warned: false } })
    expect(eventsOf(attempted(failing, failed, START + 24 * HOUR - 1))).toEqual([])
    const warning = attempted(failing, failed, START + 24 * HOUR)
    expect(eventsOf(warning)).toMatchObject([
      { type: "agent.webhook_warned" },
      {
        about: "webhook.disabled",
        payload: { url: URL_SET, reason: "failing", failing_since: new Date(START).toISOString(), disabled_at: null }
      }
    ])
    const warned = after(failing, warning, START + 24 * HOUR)
    expect(eventsOf(attempted(warned, failed, START + 72 * HOUR - 1))).toEqual([])
    const off = attempted(warned, failed, START + 72 * HOUR)
    expect(eventsOf(off)).toMatchObject([
      { type: "agent.webhook_disabled", reason: "failed_too_long" },
      {
        about: "webhook.disabled",
        payload: {
          reason: "failed_too_long",
          failing_since: new Date(START).toISOString(),
          disabled_at: new Date(START + 72 * HOUR).toISOString()
        }
      }
    ])
    expect(destination(after(warned, off))).toEqual({ drop: "disabled" })
  })

  test("410 switches off at once, whatever was before", () => {
    for (const state of [agent, withHook({ failing: { since: START, warned: true } })]) {
      expect(typesOf(attempted(state, { ...failed, gone: true }, START + HOUR))).toEqual([
        "agent.webhook_disabled",
        "agent.notified"
      ])
    }
  })

  test("the address set again, be it the same, is a fresh start", () => {
    const off = withHook({ failing: { since: START, warned: true }, disabled: { at: START, reason: "gone" } })
    for (const url of [URL_SET, "https://new.example/"]) {
      const again = fold(off, [{ type: "agent.profile_changed", v: 1, webhook_url: url }]) as Agent
      expect([destination(again), again.webhook.failing]).toEqual([{ url }, null])
    }
    expect(destination(fold(off, [{ type: "agent.profile_changed", v: 1, name: "X" }]))).toEqual({ drop: "disabled" })
  })

  test("what an address answered that is no longer set says nothing, nor does anything of a closed account", () => {
    const elsewhere = { ...failed, url: "https://old.example/", gone: true }
    for (const state of [
      agent,
      null,
      { ...agent, webhook_url: null },
      withHook({ disabled: { at: 1, reason: "gone" } })
    ] as const) {
      expect(eventsOf(decideAttempted(state, elsewhere, context(), LIMITS))).toEqual([])
    }
    for (const status of ["banned", "deleted"] as const)
      expect(eventsOf(attempted({ ...agent, status }, { ...failed, gone: true }, START))).toEqual([])
  })

  test("over any history: off only by 410 or after three days without success, and never without being told", () => {
    const step = fc.record({
      hours: fc.integer({ min: 0, max: 30 }),
      what: fc.constantFrom("ok", "fail", "gone", "set")
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let state = agent
        let at = START
        let failingSince: number | null = null
        for (const { hours, what } of steps) {
          at += hours * HOUR
          const offBefore = state.webhook.disabled !== null
          if (what === "set") {
            state = fold(state, [{ type: "agent.profile_changed", v: 1, webhook_url: URL_SET }], at) as Agent
            failingSince = null
            continue
          }
          const decision = attempted(state, { url: URL_SET, delivered: what === "ok", gone: what === "gone" }, at)
          state = after(state, decision, at)
          if (offBefore) {
            expect(eventsOf(decision)).toEqual([])
            continue
          }
          failingSince = what === "ok" ? null : (failingSince ?? at)
          const off = state.webhook.disabled !== null
          expect(off).toBe(what === "gone" || (what === "fail" && at - (failingSince ?? at) >= 72 * HOUR))
          if (off) expect(typesOf(decision)).toContain("agent.notified")
        }
      })
    )
  })
})
