import type { Foreign } from "../language/foreign.ts"
import type { Noun } from "../language/quantity.ts"
import type { Teller } from "../story/world.ts"
import type { CountingAct, Theme } from "./accumulate.ts"

/** In the order of `LANGUAGES`, with bars between: es, fr, de, it, pt, nl. */
export function foreign(text: string): Foreign {
  const [es = "", fr = "", de = "", it = "", pt = "", nl = ""] = text.split("|").map((part) => part.trim())
  if (nl === "") throw new Error(`six languages wanted: ${text}`)
  return { es, fr, de, it, pt, nl }
}

export const noun = (one: string, many: string): Noun => ({ one, many: many.split("|") })

interface Words {
  readonly name: string
  readonly noun: Noun
  readonly step: readonly [number, number]
  readonly start: readonly [number, number]
  readonly signed?: boolean
  readonly up: ReadonlyArray<string>
  readonly upForeign: string
  readonly down: ReadonlyArray<string>
  readonly downForeign: string
  /** `{p}` and `{x}` the person, `{q}` the start with its noun, `{s}` the start as `startText` has it. */
  readonly starting: ReadonlyArray<string>
  readonly startText?: (start: number) => string
  readonly known?: (teller: Teller) => ReadonlyArray<string>
  readonly question: ReadonlyArray<string>
}

const act = (sign: 1 | -1, english: ReadonlyArray<string>, said: string): CountingAct => ({
  sign,
  english,
  foreign: foreign(said)
})

/** A theme about one person, with two acts. */
export function theme({ startText = String, ...words }: Words): Theme {
  return {
    name: words.name,
    noun: words.noun,
    foreignNoun: null,
    acts: [act(1, words.up, words.upForeign), act(-1, words.down, words.downForeign)],
    step: words.step,
    start: words.start,
    asked: 1,
    signed: words.signed ?? false,
    known: words.known ?? null,
    starting: (teller, who, start) =>
      teller.random
        .pick(words.starting)
        .replace(/\{[px]\}/, () => teller.person(who))
        .replace("{q}", () => teller.count(start))
        .replace("{s}", () => startText(start)),
    question: (teller) => teller.random.pick(words.question).replace("{x}", () => teller.person(0))
  }
}
