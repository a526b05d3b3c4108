/** Programs that know the source, on a sample; `npm run bench -- --only questions` measures them on more. */
import { describe, expect, it } from "vitest"
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import { bankProblem, wordsWanting } from "../../../actors/registration/questions/bank/wanted.ts"
import { guess } from "../../../ops/bench/questions/guess.ts"
import { deploymentBanks, measured, solved } from "../../../ops/bench/questions/measure.ts"

const CHALLENGES = 200
const SOLVED = 60
const LEARNING = 40
const MOST_PASSED = 0.02
/** Below this the solver is broken, and what it fails to pass says nothing. */
const LEAST_READ = 0.9

const share = (families: ReadonlyMap<string, { readonly right: number; readonly all: number }>): number => {
  const rates = [...families.values()]
  return rates.reduce((sum, { right }) => sum + right, 0) / rates.reduce((sum, { all }) => sum + all, 0)
}

describe("a program that is told all but the meaning of private words", () => {
  const banks = deploymentBanks()

  it("has three banks that it never saw, each with enough words", () => {
    expect(banks.size).toBe(3)
    for (const [name, bank] of banks) expect([name, wordsWanting(bank)]).toEqual([name, []])
  })

  it("reads what is told, where it knows the meaning too", () => {
    for (const [name, bank] of banks) {
      const { families } = solved(bank, { learning: 0, challenges: 8, label: "known", knowing: 1 })
      expect([name, share(families) >= LEAST_READ]).toEqual([name, true])
    }
  })

  it.each([...banks])(
    "passes hardly any challenge in the words of %s, with verdicts to learn from or without",
    (_, bank) => {
      for (const learning of [0, LEARNING]) {
        const { passed } = solved(bank, { learning, challenges: SOLVED, label: "sample" })
        expect(passed / SOLVED).toBeLessThanOrEqual(MOST_PASSED)
      }
    }
  )
})

describe("production", () => {
  it("wants such words: a bank without them makes no challenges there, unless that is allowed", () => {
    const refused = bankProblem({ env: "production", publicQuestions: false }, OUR_BANK)
    expect(refused).toMatch(
      /^HUB_QUESTIONS must hold words of your own, .* \(\d+ wanting, such as clause [\w-]+ \w+: 0 of 30;/
    )
    expect(bankProblem({ env: "production", publicQuestions: true }, OUR_BANK)).toBeNull()
    expect(bankProblem({ env: "development", publicQuestions: false }, OUR_BANK)).toBeNull()
    for (const bank of deploymentBanks().values())
      expect(bankProblem({ env: "production", publicQuestions: false }, bank)).toBeNull()
  })
})

describe("a program that guesses", () => {
  it("passes no challenge, and hardly ever finds an answer", () => {
    const { passed, families } = measured(guess, CHALLENGES, "guess")
    expect(passed).toBe(0)
    for (const [family, { right, all }] of families)
      if (all >= 20) expect([family, right / all < 0.3]).toEqual([family, true])
  })
})
