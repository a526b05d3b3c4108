/** Step 2 before anything is drawn: who has not worked for the questions costs no more than the look at that. */
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { RegistrationParts } from "../../../actors/registration/actor.ts"
import type { PrepareContext } from "../../../actors/engine/definition.ts"
import { challengeKind } from "../../../actors/registration/actor.ts"
import type { Bank } from "../../../actors/registration/questions/bank/bank.ts"
import type { Challenge, ChallengeState } from "../../../actors/registration/state.ts"
import { writeOf } from "../engine/alone.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { powHash, powHolds } from "../../../schemas/signing/pow.ts"

const CREATED_AT = 1_000_000
const open: Challenge = {
  status: "open",
  public_key: "key",
  hub_id: "hx1",
  prefix: "00ff",
  difficulty: 1,
  created_at: CREATED_AT,
  used_by: null,
  questions: [],
  answers_due: 0
}
const nonces = Array.from({ length: 200 }, (_, index) => String(index))
const holds = (nonce: string): boolean => powHolds(powHash(open.prefix, nonce), open.difficulty)
const good = nonces.find(holds) ?? ""
const bad = nonces.find((nonce) => !holds(nonce)) ?? ""

class Drawn extends Error {}
/** Whoever looks into it draws. */
const bank = new Proxy({} as Bank, {
  get: () => {
    throw new Drawn()
  }
})
const { operations } = challengeKind.make({
  config: { env: "production", limits: LIMITS, baseUrl: "https://hub.example", captchaBypass: null, name: "Hub" },
  bank,
  seed: new Uint8Array(32)
} as unknown as RegistrationParts)
const serve = writeOf({ operations }, "challenge.serve")

const prepared = async (state: ChallengeState, pow_nonce: unknown, at: number): Promise<string> => {
  try {
    const preparing = serve.prepare?.(state, { pow_nonce }, { at, id: "c" } as PrepareContext) ?? Effect.never
    return await Effect.runPromise(Effect.match(preparing, { onFailure: ({ code }) => code, onSuccess: () => "facts" }))
  } catch (error) {
    if (error instanceof Drawn) return "drawn"
    throw error
  }
}

type Case = readonly [what: string, outcome: string, state: ChallengeState, pow_nonce: unknown, at: number]

const SOON = CREATED_AT + 1
const LATE = CREATED_AT + LIMITS.registration.pow_window_seconds * 1000 + 1

const CASES: ReadonlyArray<Case> = [
  ["no challenge", "challenge_unknown", null, "a", SOON],
  ["questions that were served", "questions_already_served", { ...open, status: "served" }, good, SOON],
  ["a spent challenge", "challenge_used", { ...open, status: "consumed" }, good, SOON],
  ["too late", "challenge_expired", open, good, LATE],
  ["no proof", "pow_missing", open, undefined, SOON],
  ["what is no text", "validation_error", open, 17, SOON],
  ["a proof that does not hold", "pow_invalid", open, bad, SOON],
  ["a proof that holds", "drawn", open, good, SOON]
]

test.each(CASES)("%s: %s", async (_what, outcome, state, pow_nonce, at) => {
  expect(await prepared(state, pow_nonce, at)).toBe(outcome)
})
