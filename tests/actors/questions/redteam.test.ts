/** The solver that knows the source, on a sample; `npm run bench -- --only questions` measures it on more. */
import { describe, expect, it } from "vitest"
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import { bankProblem } from "../../../actors/registration/questions/bank/wanted.ts"
import { guess } from "../../../ops/bench/questions/guess.ts"
import { deploymentBank, measured } from "../../../ops/bench/questions/measure.ts"
import { solve } from "../../../ops/bench/questions/solver.ts"
import { skeletons, structuresOf } from "../../../ops/bench/questions/structures.ts"

const CHALLENGES = 200
const PUBLIC_CHALLENGES = 20
const PRIVATE_CHALLENGES = 100
const MOST_PASSED = 0.02
/** Below this the solver is broken, and what it fails to pass says nothing. */
const LEAST_READ = 0.9
const SKELETONS = 2000
const LEAST_STRUCTURES = 1_000_000

describe("a program", () => {
  it("with full sight of the source reads what is told in the source's words", () => {
    const { families } = measured(solve, PUBLIC_CHALLENGES, "sample")
    const [right, all] = [...families.values()].reduce(
      ([one, other], rates) => [one + rates.right, other + rates.all],
      [0, 0]
    )
    expect(right / all).toBeGreaterThanOrEqual(LEAST_READ)
  })

  it("passes at most 2 % of challenges where a deployment tells in words of its own", () => {
    const { passed } = measured(solve, PRIVATE_CHALLENGES, "sample", deploymentBank())
    expect(passed / PRIVATE_CHALLENGES).toBeLessThanOrEqual(MOST_PASSED)
  })

  it("so production wants such words: a bank without them makes no challenges there, unless that is allowed", () => {
    const refused = bankProblem({ env: "production", publicQuestions: false }, OUR_BANK)
    expect(refused).toMatch(
      /^HUB_QUESTIONS must hold words of your own, .* \(\d+ wanting, such as clause shelf-row up: 0 of 6;/
    )
    expect(bankProblem({ env: "production", publicQuestions: false }, deploymentBank())).toBeNull()
    expect(bankProblem({ env: "production", publicQuestions: true }, OUR_BANK)).toBeNull()
    expect(bankProblem({ env: "development", publicQuestions: false }, OUR_BANK)).toBeNull()
  })

  it("that guesses passes none, and hardly ever finds an answer", () => {
    const { passed, families } = measured(guess, CHALLENGES, "guess")
    expect(passed).toBe(0)
    for (const [family, { right, all }] of families)
      if (all >= 20) expect([family, right / all < 0.3]).toEqual([family, true])
  })
})

describe("sentence structures", () => {
  it("are at least a million in every family, by count", () => {
    for (const [family, count] of structuresOf()) expect([family, count >= LEAST_STRUCTURES]).toEqual([family, true])
  })

  it("never come twice, with names, numbers and nouns left out", () => {
    const drawn = skeletons(SKELETONS, "skeletons")
    expect(new Set(drawn).size).toBe(drawn.length)
  })
})
