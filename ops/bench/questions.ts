/**
 * Measures the questions of registrations. One figure is the share of right answers of a program that lacks only the
 * meaning of private words, before any verdict and after many. Others are the share of guesses that are right, and the
 * time to make questions.
 */
import { namedQuestions } from "../../actors/registration/questions/generate.ts"
import { randomFromSeed } from "../../actors/registration/questions/random.ts"
import { guess } from "./questions/guess.ts"
import { deploymentBanks, measured, type Rates, seedOf, solved } from "./questions/measure.ts"

const CHALLENGES = 400
const GUESSED = 2000
const VERDICTS = 1500
const TIMED = 1000

type Say = (line: string) => void

const share = (part: number, all: number): string => `${((100 * part) / all).toFixed(2)} %`

const printRates = (say: Say, title: string, { challenges, passed, families }: Rates): void => {
  const sum = [...families.values()].reduce(
    (one, other) => ({ right: one.right + other.right, all: one.all + other.all }),
    { right: 0, all: 0 }
  )
  say(
    `\n${title}: ${share(passed, challenges)} of ${challenges} challenges passed, ${share(sum.right, sum.all)} of questions right`
  )
  for (const [family, { right, all }] of [...families].toSorted())
    say(`  ${family.padEnd(14)} ${share(right, all).padStart(8)} of ${all}`)
}

export const questionCases = (say: Say): void => {
  const began = process.cpuUsage()
  for (let index = 0; index < TIMED; index++) namedQuestions(randomFromSeed(seedOf("time", index)))
  const { user, system } = process.cpuUsage(began)
  say(`\nquestions: ${((user + system) / 1000 / TIMED).toFixed(2)} ms of CPU make a challenge`)
  for (const [name, bank] of deploymentBanks())
    for (const learning of [0, VERDICTS])
      printRates(
        say,
        `${name}, after the verdicts of ${learning} challenges`,
        solved(bank, { learning, challenges: CHALLENGES, label: "red team" })
      )
  const [first] = deploymentBanks().values()
  if (first !== undefined)
    for (const knowing of [0.8, 0.9, 1]) {
      const { passed, challenges } = solved(first, { learning: 0, challenges: CHALLENGES, label: "told", knowing })
      say(`\ntold ${100 * knowing} % of meanings rightly and the rest wrongly: ${share(passed, challenges)} passed`)
    }
  printRates(say, "guesses in public words", measured(guess, GUESSED, "red team"))
}
