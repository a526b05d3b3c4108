/**
 * What a story is about: moves, how they are said, and what follows from those that count.
 * One shape of move serves all worlds; a world leaves the parts it has no use for at `NONE`.
 */
import type { AnswerKind } from "../question.ts"
import type { Foreign } from "../language/foreign.ts"
import type { Noun } from "../language/quantity.ts"
import type { Random } from "../random.ts"
import type { Cast } from "./cast.ts"

export const NONE = -1

export interface Move {
  readonly act: number
  /** Indices into the cast. */
  readonly who: number
  readonly whom: number
  readonly n: number
  /** Index into the world's things. */
  readonly what: number
}

/** A part that may be told wrongly and put right. */
export type Part = "n" | "who" | "act" | "what"

export interface Act {
  /**
   * Finite clauses that may follow "that"; `{p}` who, `{o}` whom, `{q}` how many, `{w}` what, `|` where an aside may
   * stand.
   */
  readonly english: ReadonlyArray<string>
  /** The same with names for people, `{n}` a number word, `{N}` the world's noun. */
  readonly foreign: Foreign | null
}

/** What the text of a world needs of the teller. */
export interface Teller {
  readonly random: Random
  readonly cast: Cast
  readonly person: (index: number) => string
  readonly count: (n: number, noun?: Noun) => string
  /** A text of a telling (`TELLING_SLOTS`): one of a deployment's own, or of ours. `{x}` is `{p}`. */
  readonly worded: (
    telling: string,
    ours: ReadonlyArray<string>,
    slots: Readonly<Record<string, () => string>>
  ) => string
  /** Whether a deployment's own texts of a telling have that slot. */
  readonly isWorded: (telling: string, slot: string) => boolean
}

/** Reads the end of a story as a number that counts can be added to. */
export interface Scale {
  /** As a question calls it: "the number of that month (1 is January)". */
  readonly name: string
  readonly unit: "ones" | "minutes"
  readonly of: (end: string) => number | null
  /** Null beyond the end of the scale. */
  readonly at: (n: number) => string | null
}

export interface World {
  readonly acts: ReadonlyArray<Act>
  readonly noun: Noun
  readonly foreignNoun: Foreign | null
  /** What moves may be about, each in the words it may be called by. */
  readonly things: ReadonlyArray<ReadonlyArray<string>>
  readonly parts: ReadonlyArray<Part>
  /** A move about this person; `whom` and all else are drawn. */
  readonly draw: (random: Random, who: number) => Move
  /** Whom the question is about, and who else moves in the same way. */
  readonly asked: ReadonlyArray<number>
  readonly others: ReadonlyArray<number>
  /** Null where the moves are impossible. */
  readonly answer: (moves: ReadonlyArray<Move>) => string | null
  /** What has to be known before any move; told anywhere. */
  readonly setting: (teller: Teller) => ReadonlyArray<string>
  readonly question: (teller: Teller) => string
  readonly closing: string
  readonly kind: AnswerKind
  /** Drawn for what the story comes to. */
  readonly scale: (random: Random, end: string) => Scale
  /** The things named of which the story comes to one; null where its end is computed. */
  readonly candidates: ReadonlyArray<string> | null
}
