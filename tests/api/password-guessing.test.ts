/** Passwords that are guessed, at one address and at many, over two edges at once (spec 8; contract 11, 20). */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { LIMITS } from "../../schemas/limits.ts"
import { detailsOf, outcome } from "../support/outcome.ts"
import { PersonClient, type PersonOptions } from "../support/person.ts"
import { testService, type TestService } from "../support/service.ts"

const { login_failures } = LIMITS.limits.owner
const { human_login } = LIMITS.rate_limits

let service: TestService
let turn = 0

const person = (options: Partial<PersonOptions> = {}): PersonClient =>
  new PersonClient({ edge: () => service.edges[turn++ % service.edges.length] ?? "", ...options })

const counted = (outcomes: ReadonlyArray<string>): Record<string, number> =>
  outcomes.reduce<Record<string, number>>((counts, one) => ({ ...counts, [one]: (counts[one] ?? 0) + 1 }), {})

describe("of one address", () => {
  beforeAll(async () => {
    service = await testService({
      processes: true,
      edges: 2,
      actors: 2,
      limits: { "service.passwords_waiting_max": 1000 }
    })
  })
  afterAll(() => service?.stop())

  test("so many wrong ones are judged, however many come at once; then not even the right one is", async () => {
    const ada = person()
    await ada.signUp()
    const guesses = Array.from({ length: 2 * login_failures.requests }, (_, guess) =>
      ada.logIn(`a wrong guess ${guess}`)
    )
    const outcomes = (await Promise.all(guesses)).map(outcome)
    expect(counted(outcomes)).toEqual({
      "401 login_failed": login_failures.requests,
      "429 rate_limited": login_failures.requests
    })
    const right = await ada.logIn()
    expect([outcome(right), detailsOf(right)]).toEqual([
      "429 rate_limited",
      expect.objectContaining({ bucket: "login_failures", limit: login_failures.requests })
    ])
    expect(Number(right.headers["retry-after"])).toBeGreaterThan(0)
  })

  test("an address that nobody has is locked alike", async () => {
    const nobody = person()
    const outcomes: Array<string> = []
    for (let guess = 0; guess <= login_failures.requests; guess++)
      outcomes.push(outcome(await nobody.logIn(`guess ${guess}`)))
    expect(counted(outcomes)).toEqual({ "401 login_failed": login_failures.requests, "429 rate_limited": 1 })
  })

  test("right ones are none of those that are counted", async () => {
    const ada = person()
    await ada.signUp()
    for (let login = 0; login < login_failures.requests + 5; login++) expect(outcome(await ada.logIn())).toBe("200")
    expect(outcome(await ada.logIn("something else entirely"))).toBe("401 login_failed")
  })

  test("that it is locked outlives the node that counted", async () => {
    const ada = person()
    await ada.signUp()
    for (let guess = 0; guess < login_failures.requests; guess++) await ada.logIn(`guess ${guess}`)
    for (const actor of service.system.actors) {
      await actor.kill()
      await actor.restart()
    }
    const after = await ada.logIn()
    expect(outcome(after)).toBe("429 rate_limited")
  })
})

describe("of many addresses", () => {
  beforeAll(async () => {
    service = await testService({
      edges: 2,
      actors: 1,
      limits: { "rate_limits.human_login.requests": human_login.requests }
    })
  })
  afterAll(() => service?.stop())

  test("one client has so many tries over all edges", async () => {
    const outcomes: Array<string> = []
    for (let guess = 0; guess < human_login.requests + 6; guess++) outcomes.push(outcome(await person().logIn()))
    expect(counted(outcomes)).toEqual({ "401 login_failed": human_login.requests, "429 rate_limited": 6 })
  })
})
