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
  readonly within?: Theme["within"]
  readonly starting: ReadonlyArray<string>
  readonly startText?: Theme["startText"]
  readonly names?: Theme["names"]
  readonly known?: (teller: Teller) => ReadonlyArray<string>
  readonly question: ReadonlyArray<string>
}

export const counted: Theme["startText"] = (start, teller) => teller.count(start)

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
    within: words.within ?? null,
    words: words.name,
    known: words.known ?? null,
    names: words.names ?? null,
    starting: words.starting,
    startText: (start, teller) => startText(start, teller),
    question: (teller) => teller.worded(`${words.name} question`, words.question, { p: () => teller.person(0) })
  }
}
