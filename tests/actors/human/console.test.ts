/** Decisions on operators' rights and their console sessions. */
import { describe, expect, test } from "vitest"
import { decideConfirm } from "../../../actors/human/decide.ts"
import {
  consoleSession,
  decideCloseConsole,
  decideOpenConsole,
  decideRole
} from "../../../actors/human/decide-console.ts"
import { evolveHuman } from "../../../actors/human/evolve.ts"
import { decideClose, decideOpen, openSession } from "../../../actors/human/session-decisions.ts"
import type { HumanState } from "../../../actors/human/state.ts"
import { CONSOLE_SESSION_SECONDS } from "../../../schemas/human/limits.ts"
import {
  applied,
  codeOf,
  context,
  NO_CODE,
  opened,
  owner,
  proven,
  registered,
  RIGHT,
  SECOND,
  START,
  WRONG
} from "./accounts.ts"

const STEP = 7
const confirmed = (): HumanState => {
  const state = registered()
  return applied(state, decideConfirm(state, { token: "hash of first" }, { at: START }))
}
const granted = (state: HumanState): HumanState =>
  applied(state, decideRole(state, { role: "operator", granted: true, reason: "first operator" }))
const withSecondStep = (state: HumanState): HumanState =>
  evolveHuman(state, { type: "human.two_step_enabled", v: 1, sealed: "sealed", left: 10, step: STEP }, { at: START })
const operator = (): HumanState => withSecondStep(granted(confirmed()))

const opening = (password: string, token = "t") => ({ password, token, code: "123456" })
const code = proven({ kind: "step", step: STEP + 1 })
const entered = (state: HumanState, token = "t"): HumanState =>
  applied(state, decideOpenConsole(state, opening(RIGHT, token), context(code), owner))

describe("the role", () => {
  test("needs a confirmed address, and says why it was granted", () => {
    const change = { role: "operator", granted: true, reason: "first operator" } as const
    expect(decideRole(registered(), change)).toMatchObject({ refused: { details: { field: "role" } } })
    expect(decideRole(confirmed(), change)).toEqual({ events: [{ type: "human.role_changed", v: 1, ...change }] })
    expect(decideRole(granted(confirmed()), change)).toEqual({ events: [] })
    expect(codeOf(decideRole(null, change))).toBe("not_found")
  })

  test("takes the console sessions with it, and no other", () => {
    const inside = entered(withSecondStep(opened(granted(confirmed()), "owner's")))
    expect(consoleSession(inside, "t", START)).not.toBeNull()
    const revoked = applied(inside, decideRole(inside, { role: "operator", granted: false, reason: "left" }))
    expect(consoleSession(revoked, "t", START)).toBeNull()
    expect(openSession(revoked, "owner's", START)).not.toBeNull()
    expect(codeOf(decideOpenConsole(revoked, opening(RIGHT), context(code), owner))).toBe("operator_required")
  })
})

describe("a console session", () => {
  test("needs the password, the role, a second step and its code", () => {
    const tried = (state: HumanState, password = RIGHT, facts = code) =>
      decideOpenConsole(state, { ...opening(password), code: facts === code ? "123456" : null }, context(facts), owner)
    expect(codeOf(tried(operator(), WRONG))).toBe("login_failed")
    expect(codeOf(tried(withSecondStep(confirmed())))).toBe("operator_required")
    expect(tried(granted(confirmed()))).toMatchObject({
      refused: { code: "operator_required", details: { rule: "second_step" } }
    })
    expect(codeOf(tried(operator(), RIGHT, proven(NO_CODE)))).toBe("second_factor_required")
    expect(codeOf(tried(operator()))).toBeNull()
  })

  test("lasts twelve hours", () => {
    const state = entered(operator())
    expect(CONSOLE_SESSION_SECONDS).toBe(12 * 3600)
    expect(consoleSession(state, "t", START + CONSOLE_SESSION_SECONDS * SECOND - 1)).not.toBeNull()
    expect(consoleSession(state, "t", START + CONSOLE_SESSION_SECONDS * SECOND)).toBeNull()
  })

  test("is none of the owner's, nor the other way round", () => {
    const state = entered(operator(), "console's")
    const both = applied(
      state,
      decideOpen(state, { ...opening(RIGHT, "owner's") }, context(proven({ kind: "step", step: STEP + 2 })), owner)
    )
    expect(openSession(both, "console's", START)).toBeNull()
    expect(consoleSession(both, "owner's", START)).toBeNull()
    expect(openSession(both, "owner's", START)).not.toBeNull()
    expect(codeOf(decideClose(both, { token: "console's" }, { at: START }))).toBe("session_invalid")
    expect(codeOf(decideCloseConsole(both, { token: "owner's" }, { at: START }))).toBe("session_invalid")
    const closed = applied(both, decideCloseConsole(both, { token: "console's" }, { at: START }))
    expect(consoleSession(closed, "console's", START)).toBeNull()
  })
})
