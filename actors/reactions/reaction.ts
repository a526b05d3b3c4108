/**
 * The consequences of one actor's events for others: commands that follow from a commit.
 *
 * Invariants
 *  - Pure: the same commit gives the same commands, in the same order, whenever and wherever it is read.
 *  - Each command's id is made of the commit's sequence, and the commands of a set reach each actor in the order of the
 *    log. So the actor remembers all earlier ones, however long ago (engine/remembered.ts). Carried out twice, it
 *    counts once.
 *  - A set of reactions that is new sees the whole log: what it does must be right for what happened long ago. An
 *    existing set never looks back, and an older release may carry it out meanwhile. So additions are a set of their
 *    own, with a name of its own.
 */
import { type OperationName, OPERATIONS, type Operations } from "../../schemas/bus/operations.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { reactionCommand } from "../engine/command-ids.ts"
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

/** The commit of an event. */
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

/** The commands that follow from each event of a kind. */
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

/** A command that follows from a commit, with the same id whenever and by whomever it is asked. */
export interface Command {
  readonly id: string
  readonly told: Told
  /** Names it among those of the commit for that actor, whatever a later release puts beside it. */
  readonly which: string
}

export const commandsOf = (set: string, seq: number, told: ReadonlyArray<Told>): ReadonlyArray<Command> => {
  if (told.length === 0) return []
  const counted = new Map<string, number>()
  return told.map((one) => {
    const { op, kind, actor } = one
    const alike = `${op} ${kind} ${actor}`
    const before = counted.get(alike) ?? 0
    counted.set(alike, before + 1)
    const which = `${op}-${before}`
    return { id: reactionCommand(set, seq, kind, actor, which), told: one, which }
  })
}

export interface Reactions {
  /** Unique to each purpose, a token of a subject: its checkpoint is kept under it. */
  readonly name: string
  readonly stream: string
  /** The subjects that it reads; nothing else is delivered to it. */
  readonly subjects: readonly [string, ...Array<string>]
  /** Kinds of actors whose commits it reads. */
  readonly kinds: ReadonlyArray<string>
  /** Writes of these kinds are answered once it is done: whoever wrote sees what follows. */
  readonly awaited: boolean
  /** Throws `UnknownEvent`. */
  readonly follows: (kind: string, commit: Commit, about: About) => ReadonlyArray<Told>
}

/** As which an awaited set tells how far it is (engine/read-models.ts), beside projections. */
export const markOf = ({ name }: Pick<Reactions, "name">): string => `reaction.${name}`

/**
 * A set whose effect the writer sees in its next answer. Its commands wait for the read models themselves
 * (`projected`), and with them for the awaited sets of that kind: so an effect over two hops is waited for as well.
 * Such hops must not lead back to a kind that they began at, or two writes wait for each other until they give up.
 * Commands that would close the circle (`human.sponsorship_ended`, `report.carry_out`) do not wait.
 */
export const awaited = (set: Reactions): Reactions => ({ ...set, awaited: true })

export const reactions = (name: string, first: Source, ...others: ReadonlyArray<Source>): Reactions => ({
  name,
  stream: streams.events,
  subjects: [subjects.eventsOf(first.kind), ...others.map(({ kind }) => subjects.eventsOf(kind))],
  kinds: [first, ...others].map(({ kind }) => kind),
  awaited: false,
  follows: (kind, commit, about) =>
    [first, ...others].flatMap((one) => (one.kind === kind ? one.follows(commit, about) : []))
})
