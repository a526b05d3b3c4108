/**
 * Writes quantities in many ways: in digits and words, in other languages, by counts that everybody knows, and by small
 * sums.
 */
import { toCardinal } from "n2words/en-US"
import type { Measure } from "../bank/bank.ts"
import type { Random } from "../random.ts"
import { CARDINAL, LANGUAGES } from "./foreign.ts"

export interface Noun {
  readonly one: string
  readonly many: ReadonlyArray<string>
}

const LARGEST_IN_WORDS = 60
const LARGEST_FOREIGN = 40
/** Spanish for eleven, but also an English word with another meaning. */
const ENGLISH_TOO = "once"
const MULTIPLES = ["", "", "twice", "three times", "four times", "five times"]
const PARTS: ReadonlyArray<readonly [number, string]> = [
  [2, "half of"],
  [3, "a third of"],
  [4, "a quarter of"]
]

export const number = (random: Random, n: number): string =>
  n <= LARGEST_IN_WORDS && random.int(0, 2) > 0 ? toCardinal(n) : String(n)

const nouned = (random: Random, n: number, noun: Noun): string => (n === 1 ? noun.one : random.pick(noun.many))

/**
 * For example "as many plates as there are legs on a spider". If the measure is only near `n`, the text adds or
 * subtracts the difference. Null if no measure fits the factor and the difference that were drawn.
 */
function measured(random: Random, n: number, noun: Noun, measures: ReadonlyArray<Measure>): string | null {
  const times = random.int(0, 2) === 0 && n >= 4 ? random.int(2, 5) : 1
  const off = random.int(0, 1) === 0 ? 0 : random.int(-3, 3)
  const fitting = measures.filter((measure) => measure.n * times + off === n)
  if (fitting.length === 0) return null
  const { phrase } = random.pick(fitting)
  const many = random.pick(noun.many)
  const factor = times === 1 ? "" : `${MULTIPLES[times]} `
  if (off === 0) {
    return random.pick([
      `${factor}as many ${many} as there are ${phrase}`,
      `${many}, ${factor === "" ? "as many as" : `${factor}as many as`} there are ${phrase},`,
      `a number of ${many} equal to ${times === 1 ? "" : `${factor}`}the number of ${phrase}`
    ])
  }
  const by = toCardinal(Math.abs(off))
  const unit = Math.abs(off) === 1 ? noun.one : many
  return off > 0
    ? random.pick([
        `${by} ${unit} more than ${factor}the number of ${phrase}`,
        `${factor}as many ${many} as there are ${phrase} and ${by} besides`
      ])
    : random.pick([
        `${by} ${unit} fewer than ${factor}the number of ${phrase}`,
        `${factor}as many ${many} as there are ${phrase}, less ${by},`
      ])
}

type Form = (random: Random, n: number, noun: Noun, measures: ReadonlyArray<Measure>) => string | null

const PLAIN_OF_TEN = 5

const FORMS: ReadonlyArray<Form> = [
  measured,
  measured,
  measured,
  (random, n, noun) => {
    const said = CARDINAL[random.pick(LANGUAGES)](n)
    return n <= LARGEST_FOREIGN && n > 2 && said !== ENGLISH_TOO ? `«${said}» ${nouned(random, n, noun)}` : null
  },
  (random, n, noun) => {
    const off = n - 12
    if (off === 0 || Math.abs(off) > 4) return null
    return `a dozen ${random.pick(noun.many)} ${off > 0 ? "plus" : "less"} ${toCardinal(Math.abs(off))}`
  },
  (random, n, noun) => {
    const [part, said] = random.pick(PARTS)
    return n * part <= 90 && n > 1 ? `${said} ${number(random, n * part)} ${random.pick(noun.many)}` : null
  },
  (random, n, noun) => {
    const times = random.int(2, 4)
    return n % times === 0 && n > times
      ? `${MULTIPLES[times]} ${number(random, n / times)} ${random.pick(noun.many)}`
      : null
  },
  (random, n, noun) => {
    const first = random.int(1, Math.max(1, n - 1))
    return n > 3
      ? `${number(random, first)} and then another ${number(random, n - first)} ${random.pick(noun.many)}`
      : null
  },
  (random, n, noun) => {
    const more = random.int(1, 4)
    if (more >= n) return null
    return `${number(random, n)} ${nouned(random, n, noun)}, which is ${toCardinal(more)} more than somebody had guessed,`
  }
]

/** A quantity with its noun, in a form that fits between "gave" and "to". */
export function quantity(random: Random, n: number, noun: Noun, measures: ReadonlyArray<Measure>): string {
  for (;;) {
    if (random.int(1, 10) <= PLAIN_OF_TEN) return `${number(random, n)} ${nouned(random, n, noun)}`
    const said = random.pick(FORMS)(random, n, noun, measures)
    if (said !== null) return said
  }
}

/** A quantity without its noun, for corrections, where the noun is known. */
export const bare = (random: Random, n: number): string =>
  random.int(0, 3) > 0 ? number(random, n) : `${toCardinal(n + 1)} minus one`
