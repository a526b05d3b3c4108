/**
 * What the time of a login's answer tells of its address: nothing, over many tries (contract 20; ops/docs/threat-model-people.md).
 *
 * Known and unknown addresses are tried by lot, the first time with nothing in anybody's memory. Of two tries, one of each
 * kind, either is the longer one as often as the other; how far from that the measured share may be by chance alone, is
 * what the number of tries allows. `npm run campaign` makes as many as one likes.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { outcome } from "../support/outcome.ts"
import { PersonClient } from "../support/person.ts"
import { rounds } from "../support/rounds.ts"
import { seeded } from "../support/seed.ts"
import { type TestService, testService } from "../support/service.ts"
import { LIMITS } from "../../schemas/limits.ts"

const TRIES = rounds(80)
const ACCOUNTS = 30
/** Standard deviations: once in 300,000 runs by chance. */
const DEVIATIONS = 4.7

let service: TestService
beforeAll(async () => {
  service = await testService({
    processes: true,
    edges: 1,
    actors: 1,
    limits: {
      "limits.owner.login_failures.requests": 1_000_000,
      // The work of production: it is what an answer's time is made of.
      "service.password_memory_kib": LIMITS.service.password_memory_kib,
      "service.password_passes": LIMITS.service.password_passes
    }
  })
})
afterAll(() => service?.stop())

/** How often a try of the first kind took longer than one of the second: a half, where nothing tells them apart. */
const longerShare = (first: ReadonlyArray<number>, second: ReadonlyArray<number>): number => {
  let longer = 0
  for (const a of first) for (const b of second) longer += a > b ? 1 : a === b ? 0.5 : 0
  return longer / (first.length * second.length)
}

test("takes as long for an address that nobody has", async () => {
  const random = seeded("login timing")
  const edge = (): string => service.edges[0] ?? ""
  const known = Array.from({ length: ACCOUNTS }, () => new PersonClient({ edge }))
  const unknown = Array.from({ length: ACCOUNTS }, () => new PersonClient({ edge }))
  for (const person of known) expect(outcome(await person.signUp())).toBe("201")
  for (const node of service.system.actors) {
    await node.kill()
    await node.restart()
  }
  // The service itself is awake.
  for (let n = 0; n < 5; n++) await new PersonClient({ edge }).logIn("not the password")
  const took = { known: [] as Array<number>, unknown: [] as Array<number> }
  for (let n = 0; n < TRIES; n++) {
    const kind = random.pick(["known", "unknown"] as const)
    const person = random.pick(kind === "known" ? known : unknown)
    const from = performance.now()
    const answer = await person.logIn("not the password")
    took[kind].push(performance.now() - from)
    expect(outcome(answer)).toBe("401 login_failed")
  }
  const [n, m] = [took.known.length, took.unknown.length]
  const deviation = Math.sqrt((n + m + 1) / (12 * n * m))
  const share = longerShare(took.known, took.unknown)
  console.log(
    `login timing: of ${n} and ${m} tries, ${share.toFixed(3)} against 0.5, deviation ${deviation.toFixed(3)}`
  )
  expect(Math.abs(share - 0.5)).toBeLessThan(DEVIATIONS * deviation)
})
