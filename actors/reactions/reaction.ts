/**
 * Reactions: commands for other actors that follow from the events of a commit.
 *
 * Invariants
 *  - Pure: the same commit gives the same commands, in the same order, whenever and wherever it is read.
 *  - The id of each command contains the commit's sequence, and the commands of a set reach each actor in the order of
 *    the log. So the actor knows all earlier ones as done, however old (engine/remembered.ts), and a command that is
 *    sent twice counts once.
 *  - A new set of reactions sees the whole log, so it must be right for old events too. An existing set never looks
 *    back, and an older release may carry it out meanwhile. So additions go into a new set with a name of its own.
 */
import { type OperationName, OPERATIONS, type Operations } from "../../schemas/bus/operations.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { reactionCommand } from "../engine/command-ids.ts"
import { type EventUnion, eventsOf, inventoryOf } from "../engine/events.ts"
import { checkEvents } from "../engine/fold.ts"
import type { Commit } from "../log/commit.ts"

export interface ReactionCommand {
  readonly op: string
  readonly kind: string
  readonly actor: string
  readonly input: unknown
}

export const commandFor = <Name extends OperationName>(
  op: Name,
  actor: string,
  input: Operations[Name]["input"]
): ReactionCommand => ({
  op,
  kind: OPERATIONS[op].kind,
  actor,
  input
})

/** The commit that an event belongs to. */
export interface About {
  readonly id: string
  readonly seq: number
  /** Unix ms. */
  readonly at: number
}

interface Source {
  readonly kind: string
  /** Throws `UnknownEvent` for an event that this release does not know. */
  readonly follows: (commit: Commit, about: About) => ReadonlyArray<ReactionCommand>
}

export const on = <Declared extends EventUnion>(
  kind: string,
  declared: Declared,
  react: (event: Declared["Type"], about: About) => ReadonlyArray<ReactionCommand>
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

/** A command that follows from a commit. It has the same id whenever and wherever it is derived. */
export interface Command {
  readonly id: string
  readonly told: ReactionCommand
  /**
   * The command's name among the commit's commands for that actor. It stays the same if a later release adds others.
   */
  readonly which: string
}

export const commandsOf = (set: string, seq: number, told: ReadonlyArray<ReactionCommand>): ReadonlyArray<Command> => {
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
  /** A token of a subject, unique to each set. The checkpoint is stored under it. */
  readonly name: string
  readonly stream: string
  /** The subjects that the set reads. Nothing else is delivered to it. */
  readonly subjects: readonly [string, ...Array<string>]
  readonly kinds: ReadonlyArray<string>
  /**
   * True if the answers to `projected` writes of these kinds wait for the reactions, so that the writer sees their
   * effect.
   */
  readonly awaited: boolean
  /** Throws `UnknownEvent` for an event that this release does not know. */
  readonly follows: (kind: string, commit: Commit, about: About) => ReadonlyArray<ReactionCommand>
}

/** The name under which an awaited set announces its position, beside projections (engine/read-models.ts). */
export const markOf = ({ name }: Pick<Reactions, "name">): string => `reaction.${name}`

/**
 * Makes a set awaited. Its commands wait for the read models and the awaited sets of their own kind (`projected`), so a
 * chain of reactions is waited for as well. A chain must not lead back to the kind that it began at, or two writes wait
 * for each other until they give up. Commands that would close the circle (`human.sponsorship_ended`,
 * `report.carry_out`) do not wait.
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
