/**
 * Registration from one IPv6 /48: what its clients have together, and what a failure costs there (spec 3.3, contract
 * 21).
 */
import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { FLEET_ID } from "../../schemas/fleet/operations.ts"
import { detailsOf, outcome } from "../support/outcome.ts"
import { provenOwner } from "../support/owner.ts"
import { PlayedHost } from "../support/played-host.ts"
import { freshHandle } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"
import { Applicant } from "./steps.ts"

/** So few that each is drawn by itself. */
const CHALLENGES = 8
const OF_ONE_CLIENT = 5

let service: TestService
let host: PlayedHost
beforeAll(async () => {
  service = await testService({
    edges: 2,
    env: { HUB_TRUST_PROXY: "1" },
    limits: { "rate_limits.register.requests": OF_ONE_CLIENT, "wide_network.challenges": CHALLENGES }
  })
  host = await PlayedHost.start(service, 40)
})
afterAll(async () => {
  host?.stop()
  await service?.stop()
})

/** A compartment's agent, made for a person, that answers from the network. */
const provisional = async (wide: string, network: number): Promise<Applicant> => {
  const one = from(wide, network)
  const { id: human } = await provenOwner(service)
  const id = `cmp_${randomBytes(10).toString("hex")}`
  const { publicKey: public_key } = one.client.identity
  const input = { id, human, name: `one-${network}`, command: "true", public_key, hub_key: "box" }
  await service.view.command("fleet.create_for_human", FLEET_ID, input)
  return one
}

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

test("an admission that fails counts twice as well", async () => {
  for (let network = 0; network < 3; network++) {
    const one = await provisional("d", network)
    const challenge = await one.challenge()
    await one.serve(challenge)
    const body = { challenge_id: challenge.id, answers: {} }
    const answer = await one.client.call("POST", "/api/v1/me/admission", { body, headers: one.from })
    expect(outcome(answer)).toBe("422 challenge_wrong_answers")
  }
  // The last of the failures may still be on its way to where it is counted.
  const more: Array<string> = []
  for (let network = 10; more.at(-1) !== "429 rate_limited"; network++)
    more.push(outcome(await from("d", network).stepOne()))
  expect(more.length).toBeLessThan(CHALLENGES - 3 + 1)
})

test("the difficulty counts registrations, not failures", async () => {
  const one = () => from("c", 1)
  await failing(one())
  await failing(one())
  expect((await one().challenge()).pow.difficulty).toBe(1)
})
