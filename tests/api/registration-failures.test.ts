/** Challenges that fail: each counts twice, and who has failed too often in a day gets one an hour. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { detailsOf, outcome } from "../support/outcome.ts"
import { freshHandle } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"
import { waitFor } from "../harness/index.ts"
import { Applicant } from "./steps.ts"

const FAILED = 2
const KEY = 6
const WIDE = 2
const HOUR_SECONDS = 3600

let service: TestService
beforeAll(async () => {
  service = await testService({
    edges: 2,
    env: { HUB_TRUST_PROXY: "1" },
    limits: {
      "rate_limits.register.requests": 8,
      "rate_limits.captcha_key.requests": KEY,
      "rate_limits.register_failed.requests": FAILED,
      "wide_network.budgets": WIDE,
      "wide_network.challenges": 1000
    }
  })
})
afterAll(() => service?.stop())

let turn = 0
const from = (address: string): Applicant => new Applicant(service.edges[turn++ % 2] ?? "", address)

const failed = async (one: Applicant): Promise<void> => {
  const challenge = await one.challenge()
  await one.serve(challenge)
  const form = { challenge_id: challenge.id, handle: freshHandle(), name: "N", answers: {} }
  expect(outcome(await one.stepThree(form))).toBe("422 challenge_wrong_answers")
}

/** The bucket that refuses step 1, if one does. */
const refusing = async (one: Applicant): Promise<unknown> => {
  const answer = await one.stepOne()
  return answer.status === 429 ? detailsOf(answer)["bucket"] : outcome(answer)
}

describe("an address that has failed as often as it may in a day", () => {
  test("gets one challenge an hour, at whichever edge, and no other address does", async () => {
    for (let n = 0; n < FAILED; n++) await failed(from("198.51.100.1"))
    // The last failure may still be on its way to where it is counted.
    await waitFor(async () => (await refusing(from("198.51.100.1"))) === "register_slow", {
      describe: "the refusal of a challenge"
    })
    const refused = await from("198.51.100.1").stepOne()
    expect(outcome(refused)).toBe("429 rate_limited")
    expect(detailsOf(refused)).toMatchObject({ limit: 1, window_seconds: HOUR_SECONDS })
    const retryAfter = Number(detailsOf(refused)["retry_after"])
    expect(retryAfter).toBeGreaterThan(HOUR_SECONDS - 120)
    expect(retryAfter).toBeLessThanOrEqual(HOUR_SECONDS)
    expect(await refusing(from("198.51.100.2"))).toBe("201")
  })

  test("is one of many in a /48, which is slowed as a whole after as many times as much", async () => {
    for (let n = 0; n < FAILED * WIDE; n++) await failed(from(`2001:db8:f:${n}::1`))
    await waitFor(async () => (await refusing(from(`2001:db8:f:${100 + turn}::1`))) === "register_slow", {
      describe: "the refusal of a challenge to a network"
    })
    expect(await refusing(from("2001:db8:e:1::1"))).toBe("201")
  })
})

test("a challenge that fails counts twice for its key, from wherever", async () => {
  const one = from("203.0.113.1")
  const elsewhere = (n: number): Applicant => Object.assign(from(`203.0.113.${n}`), { client: one.client })
  await failed(one)
  await failed(elsewhere(2))
  // The last failure may still be on its way to where it is counted.
  let left = 0
  for (let n = 3; (await refusing(elsewhere(n))) === "201"; n++) left++
  expect(left).toBeLessThanOrEqual(KEY - 2 * 2 + 1)
  expect(await refusing(elsewhere(20))).toBe("captcha_key")
})
