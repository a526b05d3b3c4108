/**
 * The three steps of registration as decisions (spec 3.3, 4.3): the order of refusals, the edges of each clock, who
 * loses a race.
 */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Decision } from "../../../actors/engine/definition.ts"
import { type CreateFacts, decideCreate, decideServe } from "../../../actors/registration/challenge.ts"
import type { Question } from "../../../actors/registration/questions/question.ts"
import {
  contestedRegister,
  decideRegister,
  judgeRegister,
  type RegisterInput
} from "../../../actors/registration/register.ts"
import type { Rules } from "../../../actors/registration/rules.ts"
import { type Challenge, type ChallengeEvent, type ChallengeState, evolve } from "../../../actors/registration/state.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { powHash, powHolds } from "../../../schemas/signing/pow.ts"

const rules: Rules = {
  limits: LIMITS,
  production: false,
  captchaBypass: "token",
  baseUrl: "https://hub.example",
  ownName: "Example"
}
const POW_MS = LIMITS.registration.pow_window_seconds * 1000
const ANSWER_MS = LIMITS.registration.answer_ttl_seconds * 1000
const CREATED_AT = 1_000_000

const questions: ReadonlyArray<Question> = ["one", "two", "three", "four", "five"].map((answer, index) => ({
  id: `q${index + 1}`,
  prompt: "?",
  answer,
  kind: "word",
  format: null
}))
const right = Object.fromEntries(questions.map(({ id, answer }) => [id, answer]))

const facts = (more: Partial<CreateFacts> = {}): CreateFacts => ({
  prefix: "00ff",
  registrations: 0,
  key: "free",
  ...more
})
const create = (state: ChallengeState, more: Partial<CreateFacts> = {}): Decision<ChallengeEvent> =>
  decideCreate(
    state,
    { origin: "somewhere", public_key: "key", hub_id: "hx1" },
    { at: CREATED_AT, id: "c", seq: 0, facts: facts(more) },
    rules
  )

const codeOf = (decision: Decision<ChallengeEvent> | null): string =>
  decision !== null && "refused" in decision ? decision.refused.code : "done"
const fold = (state: ChallengeState, decision: Decision<ChallengeEvent>, at: number): Challenge =>
  (decision.events ?? []).reduce<ChallengeState>((before, event) => evolve(before, event, { at }), state) as Challenge

const open = { ...fold(null, create(null), CREATED_AT), difficulty: 1 }
const nonce =
  Array.from({ length: 1000 }, (_, index) => String(index)).find((text) => powHolds(powHash(open.prefix, text), 1)) ??
  ""
const serve = (state: ChallengeState, pow_nonce: unknown, at = CREATED_AT + 1) =>
  decideServe(state, { pow_nonce }, { at, id: "c", seq: 1, facts: { questions } }, rules)
const SERVED_AT = CREATED_AT + 1000
const served = fold(open, serve(open, nonce, SERVED_AT), SERVED_AT)

const inputOf = (more: Partial<RegisterInput["form"]> = {}, hub_id = "hx1"): RegisterInput => ({
  form: { challenge_id: "c", handle: "Some-One", name: "Name", answers: right, ...more },
  hub_id
})
const judge = (
  state: ChallengeState,
  input: RegisterInput,
  at = SERVED_AT + 1,
  under = rules
): Decision<ChallengeEvent> | null => judgeRegister(state, input, at, under, questions)
const register = (state: ChallengeState, input: RegisterInput, at = SERVED_AT + 1) =>
  decideRegister(state, input, { at, id: "c", seq: 2, facts: { number: 42, sealedSecret: "sealed", questions } }, rules)

describe("step 1", () => {
  test("the work grows with registrations from the address and never beyond the cap", () => {
    fc.assert(
      fc.property(fc.nat(1000), (registrations) => {
        const { base, max } = LIMITS.registration.pow_difficulty
        expect(fold(null, create(null, { registrations }), CREATED_AT).difficulty).toBe(
          Math.min(max, base + registrations)
        )
      })
    )
  })

  test("refuses keys that are taken, and a challenge that is there already", () => {
    expect([create(null, { key: "registered" }), create(null, { key: "retired" }), create(open)].map(codeOf)).toEqual([
      "key_already_registered",
      "key_retired",
      "challenge_used"
    ])
  })
})

describe("step 2", () => {
  test("serves until the very end of the window, and starts the answers' clock", () => {
    const last = CREATED_AT + POW_MS
    expect(fold(open, serve(open, nonce, last), last)).toMatchObject({
      status: "served",
      questions,
      answers_due: last + ANSWER_MS
    })
    expect(codeOf(serve(open, nonce, last + 1))).toBe("challenge_expired")
  })

  test("refuses in order: unknown, served, spent, expired, missing, malformed, wrong", () => {
    const states: ReadonlyArray<readonly [ChallengeState, unknown, number, string]> = [
      [null, nonce, 0, "challenge_unknown"],
      [served, nonce, 0, "questions_already_served"],
      [{ ...open, status: "consumed" }, nonce, 0, "challenge_used"],
      [{ ...open, status: "void" }, nonce, 0, "challenge_used"],
      [open, undefined, POW_MS + 1, "challenge_expired"],
      [open, undefined, 0, "pow_missing"],
      [open, null, 0, "pow_missing"],
      [open, "", 0, "pow_missing"],
      [open, 5, 0, "validation_error"],
      [open, " x", 0, "validation_error"]
    ]
    for (const [state, given, later, code] of states) expect(codeOf(serve(state, given, CREATED_AT + later))).toBe(code)
  })

  test("a wrong proof changes nothing and is told what it came to, whatever it is", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]{1,128}$/), (given) => {
        const hash = powHash(open.prefix, given)
        fc.pre(!powHolds(hash, open.difficulty))
        const decision = serve(open, given)
        expect(decision).toEqual({
          refused: { code: "pow_invalid", message: expect.any(String), details: { hash, difficulty: open.difficulty } }
        })
      })
    )
  })
})

describe("step 3", () => {
  test("refuses in order: unknown, spent, another's key, the form, then the answers", () => {
    const spent: Challenge = { ...served, status: "consumed" }
    expect(codeOf(judge(null, inputOf()))).toBe("challenge_unknown")
    expect(codeOf(judge(spent, inputOf({}, "hx2")))).toBe("challenge_used")
    expect(codeOf(judge(served, inputOf({ handle: "admin", answers: {} }, "hx2")))).toBe("challenge_key_mismatch")
    expect(codeOf(judge(served, inputOf({ handle: "ADMIN", answers: {} })))).toBe("validation_error")
    expect(codeOf(judge(served, inputOf({ handle: "example" })))).toBe("validation_error")
    expect(codeOf(judge(open, inputOf()))).toBe("questions_not_served")
    expect(codeOf(judge(open, inputOf(), CREATED_AT + POW_MS + 1))).toBe("challenge_expired")
    expect(judge(served, inputOf())).toBeNull()
  })

  test("four of five are enough, three are not, and the wrong ones are named", () => {
    fc.assert(
      fc.property(fc.subarray(questions.map(({ id }) => id)), (wrong) => {
        const answers = { ...right, ...Object.fromEntries(wrong.map((id) => [id, "certainly wrong"])) }
        const decision = judge(served, inputOf({ answers }))
        if (wrong.length <= 1) expect(decision).toBeNull()
        else
          expect(decision).toMatchObject({
            refused: { code: "challenge_wrong_answers", details: { correct: 5 - wrong.length, required: 4, wrong } },
            events: [{ type: "challenge.voided" }]
          })
      })
    )
  })

  test("answers are in time to the last millisecond; a late one voids the challenge", () => {
    expect(judge(served, inputOf(), served.answers_due)).toBeNull()
    const late = judge(served, inputOf(), served.answers_due + 1)
    expect(codeOf(late)).toBe("challenge_expired")
    expect(fold(served, late ?? { events: [] }, 0)).toMatchObject({ status: "void", questions: [] })
  })

  test("the bypass: right token only, never in production, refused without a trace", () => {
    const bypass = inputOf({ captcha_bypass: "token", answers: {} })
    expect(judge(open, bypass)).toBeNull()
    for (const [input, under] of [
      [inputOf({ captcha_bypass: "other" }), rules],
      [bypass, { ...rules, production: true }],
      [bypass, { ...rules, captchaBypass: null }]
    ] as const) {
      const decision = judge(open, input, CREATED_AT + 1, under)
      expect([codeOf(decision), decision?.events]).toEqual(["captcha_bypass_refused", undefined])
    }
    expect(codeOf(judge(open, bypass, CREATED_AT + POW_MS + ANSWER_MS + 1))).toBe("challenge_expired")
  })

  test("claims agent, key, handle and number together, each where nobody has been, and sets the clock of its active time", () => {
    const decision = register(served, inputOf())
    if ("refused" in decision) throw new Error(decision.refused.code)
    expect(decision.companions?.map(({ kind, id, expected }) => [kind, id, expected])).toEqual([
      ["agent", "hx1", 0],
      ["key", "hx1", 0],
      ["handle", "some-one", 0],
      ["number", "HX-000042", 0]
    ])
    expect(decision.timers?.map(({ name, of }) => [name, of])).toEqual([["active_time", { kind: "agent", id: "hx1" }]])
    expect(decision.reply).toMatchObject({
      profile: { id: "hx1", hx_id: "HX-000042", handle: "some-one", scores: { trust: 10, reputation: 0 } },
      sealedSecret: "sealed"
    })
    expect(JSON.stringify(decision)).not.toContain("whsec_")
    expect(fold(served, decision, 0)).toMatchObject({ status: "consumed", questions: [] })
  })

  test("who loses a race hears which one, and the challenge is spent", () => {
    const lost = (kind: string) => contestedRegister({ kind, id: "x", expected: 0, events: [] })
    for (const [kind, code] of [
      ["handle", "handle_taken"],
      ["agent", "key_already_registered"],
      ["key", "key_already_registered"]
    ] as const) {
      expect(codeOf(lost(kind))).toBe(code)
      expect(fold(served, lost(kind), 0).status).toBe("consumed")
    }
  })
})
