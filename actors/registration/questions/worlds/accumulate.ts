/**
 * Worlds in which every move adds to somebody's count or takes from it: a theme gives the words, and what the sum is
 * read as.
 */
import type { Foreign } from "../language/foreign.ts"
import type { Noun } from "../language/quantity.ts"
import type { AnswerKind } from "../question.ts"
import type { Random } from "../random.ts"
import { NONE } from "../story/world.ts"
import type { Act, Move, Scale, Teller, World } from "../story/world.ts"

/** +1 adds to who moves, -1 takes away; `GIVE` moves from who to whom. */
export const GIVE = 0

export interface CountingAct extends Act {
  readonly sign: 1 | -1 | typeof GIVE
}

export interface Readout {
  readonly kind: AnswerKind
  readonly closing: (random: Random) => string
  /** The answer from the final counts of those asked about; null if there is none. */
  readonly read: (totals: ReadonlyArray<number>) => string | null
  readonly candidates: ReadonlyArray<string> | null
  readonly scale: () => Scale
}

export interface Theme {
  readonly name: string
  readonly noun: Noun
  readonly foreignNoun: Foreign | null
  readonly acts: ReadonlyArray<CountingAct>
  /** How much a move may add or take. */
  readonly step: readonly [number, number]
  readonly start: readonly [number, number]
  /** How many people the question is about. */
  readonly asked: number
  /** Whether a count may fall below zero on the way. */
  readonly signed: boolean
  /** Total counts that it may be read at, where it must not pass an end on the way. */
  readonly within: readonly [number, number] | null
  /** The theme whose words tell the start of one of those asked about: `{p}` who, `{s}` the start, said by `startText`. */
  readonly words: string
  readonly starting: ReadonlyArray<string>
  readonly startText: (start: number, teller: Teller) => string
  /** Names in order that have to be known, `{l}`; null if there are none. */
  readonly names: ReadonlyArray<string> | null
  /** What else must be known. */
  readonly known: ((teller: Teller) => ReadonlyArray<string>) | null
  readonly question: (teller: Teller) => string
}

const PEOPLE_MOVING = 3

/** Finals of those asked about, or null where one of them falls below zero. */
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
