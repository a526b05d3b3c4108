/** Step 2: the questions. */
import { expect, test } from "vitest"
import { detailsOf, outcome } from "../../support/outcome.ts"
import { logOf } from "../../support/service.ts"
import { failToSolve } from "../steps.ts"
import {
  ANSWER_TTL_SECONDS,
  DIFFICULTY,
  REQUIRED,
  service,
  lateProof,
  passBy,
  applicant,
  formOf,
  bypassing
} from "./applicants.ts"

export const questionsStep = (): void => {
  test("serves five questions once, and never an answer", async () => {
    const one = applicant()
    const challenge = await one.challenge()
    const before = Date.now()
    const questions = await one.serve(challenge)
    expect(questions).toMatchObject({
      id: challenge.id,
      ttl_seconds: ANSWER_TTL_SECONDS,
      rules: {
        questions: 5,
        required_correct: REQUIRED,
        ttl_seconds: ANSWER_TTL_SECONDS,
        answer_format: expect.any(String),
        note: expect.any(String)
      }
    })
    expect(questions.questions.map((question) => Object.keys(question).toSorted())).toEqual(
      Array.from({ length: 5 }, () => ["id", "prompt"])
    )
    const kept = (await logOf(service.view, "challenge", challenge.id)).flatMap(
      ({ commit }) => commit.events
    ) as ReadonlyArray<{ readonly questions?: ReadonlyArray<{ readonly answer: string }> }>
    expect(kept.flatMap((event) => (event.questions ?? []).map(({ answer }) => answer.startsWith("sealed1.")))).toEqual(
      [true, true, true, true, true]
    )
    expect(questions.questions.map(({ id }) => id)).toEqual(["q1", "q2", "q3", "q4", "q5"])
    expect(Date.parse(questions.expires_at) - before).toBeGreaterThanOrEqual(ANSWER_TTL_SECONDS * 1000 - 1)
    expect(outcome(await one.stepTwo(challenge.id, { pow_nonce: "again" }))).toBe("409 questions_already_served")
  })

  test("refuses a challenge that never was, whatever its shape", async () => {
    const one = applicant()
    for (const id of ["0".repeat(32), "abc", "0".repeat(200), "%2e%2e", "A".repeat(32)]) {
      expect(outcome(await one.stepTwo(id, { pow_nonce: "1" }))).toBe("400 challenge_unknown")
    }
  })

  test("refuses a missing, malformed or wrong proof; the challenge stays open", async () => {
    const one = applicant()
    const challenge = await one.challenge()
    for (const body of [{}, { pow_nonce: null }, { pow_nonce: "" }])
      expect(outcome(await one.stepTwo(challenge.id, body))).toBe("422 pow_missing")
    for (const pow_nonce of [5, ["1"], "ä", "with space", "x".repeat(129)]) {
      const answer = await one.stepTwo(challenge.id, { pow_nonce })
      expect([outcome(answer), detailsOf(answer)["field"]]).toEqual(["422 validation_error", "pow_nonce"])
    }
    const wrong = await one.stepTwo(challenge.id, { pow_nonce: failToSolve(challenge.pow.prefix) })
    expect([outcome(wrong), detailsOf(wrong)]).toEqual([
      "422 pow_invalid",
      { hash: expect.stringMatching(/^[1-9a-f][0-9a-f]{63}$/), difficulty: DIFFICULTY.base }
    ])
    expect((await one.serve(challenge)).questions).toHaveLength(5)
  })

  test("refuses a challenge that is spent, and one that is too old", async () => {
    const { one: late, challenge: old } = lateProof
    const one = applicant()
    const challenge = await one.challenge()
    await one.stepThree(bypassing(challenge.id))
    expect(outcome(await one.stepTwo(challenge.id, { pow_nonce: "1" }))).toBe("400 challenge_used")
    passBy(Date.parse(old.pow_expires_at))
    expect(outcome(await late.stepTwo(old.id, { pow_nonce: "1" }))).toBe("400 challenge_expired")
    expect(outcome(await late.stepThree(formOf(old.id, {})))).toBe("400 challenge_expired")
  })
}
