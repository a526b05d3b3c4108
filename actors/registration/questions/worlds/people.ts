/** Themes about who has how many of some good. */
import type { Random } from "../random.ts"
import type { Theme } from "./accumulate.ts"
import { GETTING, GIVING, GOODS, LOSING } from "./goods.ts"
import { list } from "../language/text.ts"
import type { Teller } from "../story/world.ts"

const STARTING = [
  "at the very start {p} had {q}",
  "{p} began with {q}",
  "to begin with, {q} were the property of {p}",
  "before all this {p} owned {q}",
  "the first stock of {p} was {q}"
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
    known: null,
    starting: (teller, who, start) =>
      teller.random
        .pick(STARTING)
        .replace("{p}", () => teller.person(who))
        .replace("{q}", () => teller.count(start)),
    question: (teller) => question(teller, random.pick(noun.many))
  }
}

export const holdings = (random: Random): Theme =>
  goods(random, "holdings", 1, (teller, noun) =>
    teller.random.pick([
      `How many ${noun} does ${teller.person(0)} have in the end?`,
      `With how many ${noun} is ${teller.person(0)} left?`,
      `Count the ${noun} of ${teller.person(0)} at the end.`
    ])
  )

export const gap = (random: Random): Theme =>
  goods(random, "gap", 2, (teller, noun) =>
    teller.random.pick([
      `At the end, how many more ${noun} does ${teller.person(0)} have than ${teller.person(1)}?`,
      `By how many ${noun} does ${teller.person(0)} surpass ${teller.person(1)} in the end?`
    ])
  )

export const together = (random: Random): Theme =>
  goods(random, "together", 2, (teller, noun) => {
    const two = list(random.shuffle([teller.person(0), teller.person(1)]))
    return teller.random.pick([
      `How many ${noun} do ${two} have together in the end?`,
      `At the end, what is the total of ${noun} that belong to ${two}?`
    ])
  })
