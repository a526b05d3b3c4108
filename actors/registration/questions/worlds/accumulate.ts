/**
 * Worlds in which every move adds to somebody's count or subtracts from it. A theme has the words, and the meaning of
 * the sum.
 */
import type { Foreign } from "../language/foreign.ts"
import type { Noun } from "../language/quantity.ts"
import type { AnswerKind } from "../question.ts"
import type { Random } from "../random.ts"
import { NONE } from "../story/world.ts"
import type { Act, Move, Scale, Teller, World } from "../story/world.ts"

/** The effect of an act: +1 adds to the count of `who`, -1 subtracts from it. `GIVE` moves from `who` to `whom`. */
export const GIVE = 0

export interface CountingAct extends Act {
  readonly sign: 1 | -1 | typeof GIVE
}

export interface Readout {
  readonly kind: AnswerKind
  readonly closing: (random: Random) => string
  /** The answer from the final counts of the people in question. Null if there is none. */
  readonly read: (totals: ReadonlyArray<number>) => string | null
  readonly candidates: ReadonlyArray<string> | null
  readonly scale: () => Scale
}

export interface Theme {
  readonly name: string
  readonly noun: Noun
  readonly foreignNoun: Foreign | null
  readonly acts: ReadonlyArray<CountingAct>
  /** The least and the most that a move may add or subtract. */
  readonly step: readonly [number, number]
  readonly start: readonly [number, number]
  /** The number of people whom the question is about. */
  readonly asked: number
  /** True if a count may fall below zero meanwhile. */
  readonly signed: boolean
  /** The range of counts that have a meaning, if the count must not leave it meanwhile. */
  readonly within: readonly [number, number] | null
  /** The theme whose texts tell the start: `{p}` is the person, `{s}` the start as `startText` writes it. */
  readonly words: string
  readonly starting: ReadonlyArray<string>
  readonly startText: (start: number, teller: Teller) => string
  /** Names in order that the reader must know, for `{l}`. Null if there are none. */
  readonly names: ReadonlyArray<string> | null
  readonly known: ((teller: Teller) => ReadonlyArray<string>) | null
  readonly question: (teller: Teller) => string
}

const PEOPLE_MOVING = 3

/** The final counts of the people in question. Null if a move takes a count out of the allowed range. */
function totalsOf(
  theme: Theme,
  starts: ReadonlyArray<number>,
  moves: ReadonlyArray<Move>
): ReadonlyArray<number> | null {
  const totals = [...starts]
  const [lowest, highest] = theme.within ?? [-Infinity, Infinity]
  for (const { act, who, whom, n } of moves) {
    const { sign } = theme.acts[act] as CountingAct
    if (who < totals.length) totals[who] = (totals[who] as number) + (sign === GIVE ? -n : sign * n)
    if (sign === GIVE && whom < totals.length) totals[whom] = (totals[whom] as number) + n
    if (!theme.signed && totals.some((total) => total < 0)) return null
    if (theme.within !== null && totals.some((total) => total < lowest || total > highest)) return null
  }
  return totals
}

export function counting(random: Random, theme: Theme, readout: Readout): World {
  const starts = Array.from({ length: theme.asked }, () => random.int(...theme.start))
  const asked = starts.map((_, index) => index)
  const others = Array.from({ length: PEOPLE_MOVING - theme.asked }, (_, index) => theme.asked + index)
  const everybody = [...asked, ...others]
  return {
    acts: theme.acts,
    noun: theme.noun,
    foreignNoun: theme.foreignNoun,
    things: [],
    parts: ["n", "n", "who", "act"],
    asked,
    others,
    candidates: readout.candidates,
    draw: (drawing, who) => {
      const act = drawing.int(0, theme.acts.length - 1)
      const give = theme.acts[act]?.sign === GIVE
      const partner = drawing.pick(everybody.filter((other) => other !== who))
      const received = give && drawing.int(0, 1) === 0
      return {
        act,
        who: received ? partner : who,
        whom: give ? (received ? who : partner) : NONE,
        n: drawing.int(...theme.step),
        what: NONE
      }
    },
    answer: (moves) => {
      const totals = totalsOf(theme, starts, moves)
      return totals === null ? null : readout.read(totals)
    },
    setting: (teller) => {
      const telling = `${theme.words} start`
      const names = (): string => theme.names?.join(", ") ?? ""
      return [
        ...(teller.isWorded(telling, "{l}") ? [] : (theme.known?.(teller) ?? [])),
        ...starts.map((start, who) =>
          teller.worded(telling, theme.starting, {
            p: () => teller.person(who),
            s: () => theme.startText(start, teller),
            l: names
          })
        )
      ]
    },
    question: theme.question,
    closing: readout.closing(random),
    kind: readout.kind,
    scale: readout.scale
  }
}
