/**
 * What one actor's events mean for others: commands that follow from a commit.
 *
 * Invariants
 *  - Pure: the same commit gives the same commands, in the same order, whenever and wherever it is read.
 *  - Each command's id is made of the commit's sequence: carried out twice, it counts once, as long as its actor
 *    remembers it (`command_memory_max`). How many may come again is bounded by that, see reactor.ts.
 *  - A set of reactions that is new sees the whole log: what it does must be right for what happened long ago. One that
 *    is there already never looks back, and an older release may carry it out meanwhile: what is added is a set of its
 *    own, with a name of its own.
 */
import { type OperationName, OPERATIONS, type Operations } from "../../schemas/bus/operations.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { type EventUnion, eventsOf, inventoryOf } from "../engine/events.ts"
import { checkEvents } from "../engine/fold.ts"
import type { Commit } from "../log/commit.ts"

/** A command for another actor. */
export interface Told {
  readonly op: string
  readonly kind: string
  readonly actor: string
  readonly input: unknown
}

export const tell = <Name extends OperationName>(op: Name, actor: string, input: Operations[Name]["input"]): Told => ({
  op,
  kind: OPERATIONS[op].kind,
  actor,
  input
})

/** Of the commit that an event stands in. */
export interface About {
  readonly id: string
  readonly seq: number
  /** Unix ms. */
  readonly at: number
}

interface Source {
  readonly kind: string
  /** Throws `UnknownEvent`. */
  readonly follows: (commit: Commit, about: About) => ReadonlyArray<Told>
}

/** What follows from each event of a kind. */
export const on = <Declared extends EventUnion>(
  kind: string,
  declared: Declared,
  react: (event: Declared["Type"], about: About) => ReadonlyArray<Told>
): Source => {
  const fold = { kind, events: inventoryOf(declared) }
  return {
    kind,
    follows: (commit, about) => {
      checkEvents(fold, commit)
      return eventsOf(declared, commit).flatMap((event) => react(event, about))
    }
  }
}

export interface Reactions {
  /** Of its own for each purpose, a token of a subject: its place in the log is kept under it. */
  readonly name: string
  readonly stream: string
  /** What it reads of the log; nothing else is delivered to it. */
  readonly subjects: readonly [string, ...Array<string>]
  /** Kinds of actors whose commits it reads. */
  readonly kinds: ReadonlyArray<string>
  /** Throws `UnknownEvent`. */
  readonly follows: (kind: string, commit: Commit, about: About) => ReadonlyArray<Told>
}

export const reactions = (name: string, first: Source, ...others: ReadonlyArray<Source>): Reactions => ({
  name,
  stream: streams.events,
  subjects: [subjects.eventsOf(first.kind), ...others.map(({ kind }) => subjects.eventsOf(kind))],
  kinds: [first, ...others].map(({ kind }) => kind),
  follows: (kind, commit, about) =>
    [first, ...others].flatMap((one) => (one.kind === kind ? one.follows(commit, about) : []))
})
