/** Applicants, each from an address of its own, and how far they have come. */
import { expect } from "vitest"
import { movableClock } from "../../harness/index.ts"
import { outcome } from "../../support/outcome.ts"
import { BYPASS_TOKEN, freshHandle } from "../../support/register.ts"
import { type TestService, testService } from "../../support/service.ts"
import { answersOf, Applicant, type Challenge } from "../steps.ts"

/** Time enough on a slow machine. */
export const POW_WINDOW_SECONDS = 120

export const ANSWER_TTL_SECONDS = 120
export const DIFFICULTY = { base: 1, max: 3 }
export const REQUIRED = 4
/** Of all nodes; clients sign by the machine's. */
const clock = movableClock()
export let service: TestService
let addresses = 0
export let lateProof: { readonly one: Applicant; readonly challenge: Challenge }
export let lateAnswers: Served & { readonly one: Applicant }

export const openRegistration = async (): Promise<void> => {
  service = await testService({
    clock,
    edges: 2,
    env: { HUB_TRUST_PROXY: "1", HUB_NAME: "Testhub" },
    limits: {
      "registration.pow_window_seconds": POW_WINDOW_SECONDS,
      "registration.answer_ttl_seconds": ANSWER_TTL_SECONDS,
      "registration.pow_difficulty.base": DIFFICULTY.base,
      "registration.pow_difficulty.max": DIFFICULTY.max
    }
  })
  const [prover, answerer] = [applicant(), applicant()]
  lateProof = { one: prover, challenge: await prover.challenge() }
  lateAnswers = { one: answerer, ...(await served(answerer)) }
}

export const closeRegistration = (): Promise<void> | undefined => service?.stop()

/** Moves to a moment just after this one, unless that is over. */
export const passBy = (at: number): void => clock.move(Math.max(0, at + 20 - clock.now()))

/** Each from an address of its own, so that none raises another's difficulty. */
export const applicant = (): Applicant => {
  addresses += 1
  return new Applicant(service.edges[addresses % 2] ?? "", `198.51.100.${addresses}`)
}

export const formOf = (
  challenge: string,
  answers: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {}
) => ({
  challenge_id: challenge,
  handle: freshHandle(),
  name: "A new agent",
  answers,
  ...more
})

interface Served {
  readonly challenge: Challenge
  readonly right: Readonly<Record<string, string>>
  readonly dueAt: number
}

/** Up to the questions, with the right answers at hand. */
export async function served(one: Applicant): Promise<Served> {
  const challenge = await one.challenge()
  const questions = await one.serve(challenge)
  return { challenge, right: await answersOf(service.view, challenge.id), dueAt: Date.parse(questions.expires_at) }
}

export const bypassing = (challenge: string, more: Readonly<Record<string, unknown>> = {}) =>
  formOf(challenge, {}, { captcha_bypass: BYPASS_TOKEN, ...more })

export async function registered(): Promise<Applicant> {
  const one = applicant()
  const answer = await one.stepThree(bypassing((await one.challenge()).id))
  expect(outcome(answer)).toBe("201")
  return one
}
