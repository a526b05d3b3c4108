/**
 * The red team: what a program with full sight of the source passes, what guessing gets, and how varied the questions
 * are.
 */
import { namedQuestions } from "../../actors/registration/questions/generate.ts"
import { randomFromSeed } from "../../actors/registration/questions/random.ts"
import { guess } from "./questions/guess.ts"
import { deploymentBank, measured, type Rates, seedOf } from "./questions/measure.ts"
import { solve } from "./questions/solver.ts"
import { skeletons, structuresOf } from "./questions/structures.ts"

const CHALLENGES = 2000
const SKELETONS = 20_000
const TIMED = 1000

type Say = (line: string) => void

const share = (part: number, all: number): string => `${((100 * part) / all).toFixed(2)} %`

const told = (say: Say, title: string, { challenges, passed, families }: Rates): void => {
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
  told(say, "solver, our words alone", measured(solve, CHALLENGES, "red team"))
  told(
    say,
    "solver, a deployment with words that it has not seen",
    measured(solve, CHALLENGES, "red team", deploymentBank())
  )
  told(say, "guesses", measured(guess, CHALLENGES, "red team"))
  const drawn = skeletons(SKELETONS, "skeletons")
  const least = [...structuresOf()].toSorted(([, one], [, other]) => one - other)[0]
  say(
    `\nstructures: at least ${least?.[1].toExponential(1)} in each family (${least?.[0]}, lower bound); ` +
      `${drawn.length - new Set(drawn).size} repeated in ${drawn.length} draws`
  )
}
