/** What holds of a mail domain whatever its agents, its DNS and its timers do (spec 3.6). */
import fc from "fast-check"
import { expect, test } from "vitest"
import type { Checked } from "../../../actors/mail-domain/checks.ts"
import type { ProviderStatus } from "../../../actors/mail-domain/provider.ts"
import { DAY, DOMAIN, World } from "./world.ts"

const AGENT = fc.constantFrom("ada", "bob", "eve")
const FOUND = fc.constantFrom(true, false, null)
const PROVIDER: fc.Arbitrary<ProviderStatus | null> = fc.constantFrom(null, "FAILED", "PENDING")
const CHECKED: fc.Arbitrary<Checked> = fc.record({ found: fc.tuple(FOUND, FOUND, FOUND), provider: PROVIDER })

const STEP = fc.oneof(
  fc.record({ do: fc.constant("declare" as const), agent: AGENT, proven: fc.boolean() }),
  fc.record({ do: fc.constant("verify" as const), agent: AGENT, facts: CHECKED }),
  fc.record({ do: fc.constant("release" as const), agent: AGENT }),
  fc.record({ do: fc.constant("check" as const), facts: CHECKED }),
  fc.record({ do: fc.constant("claim" as const), mailboxes: fc.nat(1) }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.nat(2 * DAY) })
)
type Step = typeof STEP extends fc.Arbitrary<infer One> ? One : never

const take = (world: World, step: Step): string => {
  if (step.do === "declare") return world.declare(step.agent, step.proven)
  if (step.do === "verify") return world.verify(step.agent, step.facts)
  if (step.do === "release") return world.release(step.agent)
  if (step.do === "check") return world.check(step.facts)
  if (step.do === "claim") return world.claimEnds(step.mailboxes)
  world.at += step.ms
  return ""
}

test("whatever happens, one holds it, and an active domain is lost by its holder or its records alone", () => {
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 40 }), (steps) => {
      const world = new World()
      const declared = new Map<string, Array<number>>()
      for (const step of steps) {
        const before = world.state.held
        const done = take(world, step)
        const { held } = world.state
        const holders = [...world.holders].filter(([, { state }]) => state.domain === DOMAIN).map(([agent]) => agent)
        expect(holders).toEqual(held === null ? [] : [held.agent])
        if (step.do === "declare" && done === "declared") {
          const times = [...(declared.get(step.agent) ?? []), world.at]
          declared.set(step.agent, times)
          expect(times.filter((time) => time > world.at - DAY).length).toBeLessThanOrEqual(3)
          if (before !== null) expect([before.active, step.proven]).toEqual([false, true])
        }
        if (before?.active === true && held?.agent !== before.agent) expect(step.do).toBe("release")
        if (before?.active === true && held?.active === false) {
          expect([step.do, done]).toEqual(["check", expect.stringContaining("downgraded")])
          expect(world.at - (before.failing_since ?? world.at)).toBeGreaterThanOrEqual(3 * DAY)
        }
        if (held?.active === true && before?.active !== true)
          expect([step.do, held.last_check?.found.slice(0, 2)]).toEqual(["verify", [true, true]])
        if (held !== null) expect(held.next_check !== null).toBe(held.active)
      }
    }),
    { numRuns: 500 }
  )
})
