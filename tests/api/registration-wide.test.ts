/**
 * Registration from one IPv6 /48: what its clients have together, and what a failure costs there (spec 3.3, contract
 * 21).
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { detailsOf, outcome } from "../support/outcome.ts"
import { freshHandle } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"
import { Applicant } from "./steps.ts"

/** So few that each is drawn by itself. */
const CHALLENGES = 8
const OF_ONE_CLIENT = 3

let service: TestService
beforeAll(async () => {
  service = await testService({
    edges: 2,
    env: { HUB_TRUST_PROXY: "1" },
    limits: { "rate_limits.register.requests": OF_ONE_CLIENT, "wide_network.challenges": CHALLENGES }
  })
})
afterAll(() => service?.stop())

const from = (wide: string, network: number): Applicant =>
  new Applicant(service.edges[network % 2] ?? "", `2001:db8:${wide}:${network}::1`)

const failing = async (one: Applicant): Promise<void> => {
  const challenge = await one.challenge()
  await one.serve(challenge)
  expect(
    outcome(await one.stepThree({ challenge_id: challenge.id, handle: freshHandle(), name: "N", answers: {} }))
  ).toBe("422 challenge_wrong_answers")
}

test("a challenge that fails counts twice for the /48", async () => {
  for (let network = 0; network < 3; network++) await failing(from("a", network))
  // Six are used; the last of the failures may still be on its way to where it is counted.
  const stepsOf = async (wide: string, first: number) => {
    const outcomes: Array<string> = []
    for (let network = first; network < first + 12; network++) {
      const answer = await from(wide, network).stepOne()
      outcomes.push(outcome(answer))
      if (answer.status === 429) {
        expect(detailsOf(answer)).toMatchObject({ bucket: "register", limit: CHALLENGES, window_seconds: 3600 })
        return outcomes
      }
    }
    return outcomes
  }
  const left = await stepsOf("a", 10)
  expect(left.length).toBeLessThan(CHALLENGES - 3 + 1)
  expect(left.at(-1)).toBe("429 rate_limited")
  // Elsewhere all of them are there.
  expect(await stepsOf("b", 10)).toEqual([...Array(CHALLENGES).fill("201"), "429 rate_limited"])
})

test("the difficulty counts registrations, not failures", async () => {
  const one = () => from("c", 1)
  await failing(one())
  await failing(one())
  expect((await one().challenge()).pow.difficulty).toBe(1)
})
