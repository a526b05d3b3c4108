import type { Foreign } from "../language/foreign.ts"
import type { Noun } from "../language/quantity.ts"
import type { Teller } from "../story/world.ts"
import type { Theme } from "./accumulate.ts"

export const noun = (one: string, many: string): Noun => ({ one, many: many.split("|") })

interface Words {
  readonly name: string
  readonly noun: Noun
  readonly step: readonly [number, number]
  readonly start: readonly [number, number]
  readonly signed?: boolean
  readonly up: ReadonlyArray<string>
  readonly upForeign: Foreign
  readonly down: ReadonlyArray<string>
  readonly downForeign: Foreign
  /** `{p}` and `{x}` the person, `{q}` the start with its noun, `{s}` the start as `startText` has it. */
  readonly starting: ReadonlyArray<string>
  readonly startText?: (start: number) => string
  readonly known?: (teller: Teller) => ReadonlyArray<string>
  readonly question: ReadonlyArray<string>
}

/** A theme about one person, with two acts. */
export function theme({ startText = String, ...words }: Words): Theme {
  return {
    name: words.name,
    noun: words.noun,
    foreignNoun: null,
    acts: [
      { sign: 1, english: words.up, foreign: words.upForeign },
      { sign: -1, english: words.down, foreign: words.downForeign }
    ],
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
