/** Themes about the amount of a good that people have. */
import type { Random } from "../random.ts"
import type { Theme } from "./accumulate.ts"
import { GETTING, GIVING, GOODS, LOSING } from "./goods.ts"
import { counted } from "./theme.ts"
import type { Teller } from "../story/world.ts"

const STARTING = [
  "at the very start {p} had {s}",
  "{p} began with {s}",
  "to begin with, {s} belonged to {p}",
  "before all this {p} owned {s}",
  "{p} started from a stock of {s}"
]

function goods(random: Random, name: string, asked: number, question: (teller: Teller, noun: string) => string): Theme {
  const { noun, foreign } = random.pick(GOODS)
  return {
    name,
    noun,
    foreignNoun: foreign,
    acts: [GETTING, LOSING, GIVING, GIVING],
    step: [3, 26],
    start: [35, 80],
    asked,
    signed: false,
    within: null,
    words: "holdings",
    known: null,
    names: null,
    starting: STARTING,
    startText: counted,
    question: (teller) => question(teller, random.pick(noun.many))
  }
}

export const holdings = (random: Random): Theme =>
  goods(random, "holdings", 1, (teller, noun) =>
    teller.worded(
      "holdings question",
      ["How many {g} does {p} have in the end?", "With how many {g} is {p} left?", "Count the {g} of {p} at the end."],
      { g: () => noun, p: () => teller.person(0) }
    )
  )

export const gap = (random: Random): Theme =>
  goods(random, "gap", 2, (teller, noun) =>
    teller.worded(
      "gap question",
      ["At the end, how many more {g} does {a} have than {b}?", "By how many {g} does {a} surpass {b} in the end?"],
      { g: () => noun, a: () => teller.person(0), b: () => teller.person(1) }
    )
  )

export const together = (random: Random): Theme =>
  goods(random, "together", 2, (teller, noun) => {
    const [one = 0, other = 1] = random.shuffle([0, 1])
    return teller.worded(
      "together question",
      [
        "How many {g} do {a} and {b} have together in the end?",
        "At the end, what is the total of {g} that belong to {a} and {b}?"
      ],
      { g: () => noun, a: () => teller.person(one), b: () => teller.person(other) }
    )
  })
