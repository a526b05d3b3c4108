/**
 * The subject of a story: possible moves, their wording, and the result of those that count. All worlds use the same
 * shape of move. A world sets the parts that it does not use to `NONE`.
 */
import type { AnswerKind } from "../question.ts"
import type { Foreign } from "../language/foreign.ts"
import type { Noun } from "../language/quantity.ts"
import type { Random } from "../random.ts"
import type { Cast } from "./cast.ts"

export const NONE = -1

export interface Move {
  readonly act: number
  /** Indices of people in the cast. */
  readonly who: number
  readonly whom: number
  readonly n: number
  /** Index of one of the world's things. */
  readonly what: number
}

/** A part of a move that may be told wrongly and corrected. */
export type Part = "n" | "who" | "act" | "what"

export interface Act {
  /**
   * Finite clauses that may follow "that". `{p}` and `{x}` are who, `{o}` is whom, `{q}` how many, `{w}` what; `|`
   * marks a place for an aside.
   */
  readonly english: ReadonlyArray<string>
  /** Clauses in other languages with names for people. `{n}` is a number word, `{N}` the world's noun. */
  readonly foreign: Foreign | null
}

export interface Teller {
  readonly random: Random
  readonly cast: Cast
  readonly person: (index: number) => string
  readonly count: (n: number, noun?: Noun) => string
  /**
   * A text of a telling (`TELLING_SLOTS`), from the deployment if it has one, otherwise from `ours`. `{x}` is the same
   * as `{p}`.
   */
  readonly worded: (
    telling: string,
    ours: ReadonlyArray<string>,
    slots: Readonly<Record<string, () => string>>
  ) => string
  /** True if a deployment's own texts of a telling have that slot. */
  readonly isWorded: (telling: string, slot: string) => boolean
}

/** Converts the result of a story to a number to which counts can be added. */
export interface Scale {
  /** The name of the number in a question: "the number of that month (1 is January)". */
  readonly name: string
  readonly unit: "ones" | "minutes"
  readonly of: (end: string) => number | null
  /** Null if the number is beyond the scale. */
  readonly at: (n: number) => string | null
}

export interface World {
  readonly acts: ReadonlyArray<Act>
  readonly noun: Noun
  readonly foreignNoun: Foreign | null
  /** Things that moves may be about, each with the words for it. */
  readonly things: ReadonlyArray<ReadonlyArray<string>>
  readonly parts: ReadonlyArray<Part>
  readonly draw: (random: Random, who: number) => Move
  /** The people whom the question is about, and others who move in the same way. */
  readonly asked: ReadonlyArray<number>
  readonly others: ReadonlyArray<number>
  /** The result of the moves. Null if they are impossible. */
  readonly answer: (moves: ReadonlyArray<Move>) => string | null
  /** Facts that the reader needs before any move. They may be told anywhere in the story. */
  readonly setting: (teller: Teller) => ReadonlyArray<string>
  readonly question: (teller: Teller) => string
  readonly closing: string
  readonly kind: AnswerKind
  readonly scale: (random: Random, end: string) => Scale
  /** The names of which one is the result. Null if the result is computed. */
  readonly candidates: ReadonlyArray<string> | null
}
