/** Challenges that fail: each counts twice, and who has failed too often in a day gets one an hour. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { detailsOf, outcome } from "../support/outcome.ts"
import { freshHandle } from "../support/register.ts"
import { logOf, type TestService, testService } from "../support/service.ts"
import { waitFor } from "../harness/index.ts"
import { answersOf, Applicant } from "./steps.ts"

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

const failed = async (one: Applicant, answering = one): Promise<void> => {
  const challenge = await one.challenge()
  await one.serve(challenge)
  const form = { challenge_id: challenge.id, handle: freshHandle(), name: "N", answers: {} }
  expect(outcome(await answering.stepThree(form))).toBe("422 challenge_wrong_answers")
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

test("a challenge counts where it was begun, whatever address its answers come from", async () => {
  const begun = (n: number): Applicant => from(`198.51.100.${n}`)
  for (let n = 0; n < FAILED; n++) {
    const first = begun(11)
    await failed(first, Object.assign(from(`198.51.100.${12 + n}`), { client: first.client }))
  }
  await waitFor(async () => (await refusing(begun(11))) === "register_slow", {
    describe: "the refusal of a challenge where the failed ones were begun"
  })
})

test("so does one that is passed: it raises the difficulty there and where its answers came from", async () => {
  const [first, then] = ["198.51.100.31", "198.51.100.32"] as const
  const one = from(first)
  const challenge = await one.challenge()
  await one.serve(challenge)
  const answers = await answersOf(service.view, challenge.id)
  const elsewhere = Object.assign(from(then), { client: one.client })
  const form = { challenge_id: challenge.id, handle: freshHandle(), name: "N", answers }
  expect(outcome(await elsewhere.stepThree(form))).toBe("201")
  for (const address of [first, then]) {
    const { id } = await from(address).challenge()
    const [created] = await logOf(service.view, "challenge", id)
    if (created === undefined) throw new Error(`the challenge of ${address} is not in the log`)
    const { origin } = created.commit.events[0] as unknown as { readonly origin: string }
    await waitFor(async () => (await logOf(service.view, "origin", origin)).length === 1, {
      describe: `a registration counted at ${address}`
    })
    expect((await from(address).challenge()).pow.difficulty).toBe(2)
  }
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

test("wrong answers under an Idempotency-Key, sent again, are refused as they were", async () => {
  const one = from("198.51.100.77")
  const challenge = await one.challenge()
  await one.serve(challenge)
  const body = { challenge_id: challenge.id, handle: freshHandle(), name: "N", answers: {} }
  const form = () => one.client.call("POST", "/api/v1/register", { body, headers: one.from, idempotencyKey: "k" })
  expect([outcome(await form()), outcome(await form())]).toEqual([
    "422 challenge_wrong_answers",
    "422 challenge_wrong_answers"
  ])
})
