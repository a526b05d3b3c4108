/**
 * Finds commands of reactions that were in flight at a place, a sequence of the log. The commit that caused them is at
 * or before the place. Their own commit is after it or missing.
 *
 * Invariants
 *  - A command that was carried out since is found by its commit, within `LOOK_AHEAD` after the place. Its id names its
 *    cause.
 *  - A command waits if it follows from a commit that its set of reactions has not reached yet. The code of the set
 *    computes these commands.
 *  - A command that changed nothing has no commit, so it is not found.
 */
import { kindIn } from "./kind-in.ts"
import { reactionPlaceOf } from "../../actors/engine/command-ids.ts"
import { UnknownEvent } from "../../actors/engine/fold.ts"
import type { Stored } from "../../actors/log/stream-pages.ts"
import { commitOf, messageOf } from "../../actors/projections/projection.ts"
import { REACTIONS } from "../../actors/process/reactions.ts"
import type { Aside } from "../../actors/reactions/aside.ts"
import { commandsOf, type Reactions } from "../../actors/reactions/reaction.ts"

/** The number of sequences after the place that are searched for commands with earlier causes. */
export const LOOK_AHEAD = 100_000
/** The most commands that are listed. Further ones are only counted. */
const NAMED_MAX = 100
/** The most waiting commands that are counted, over all sets. */
const WAITING_MAX = 100_000

export interface InFlight {
  /** The sequence of the commit that caused the command. */
  readonly cause: number
  readonly set: string
  readonly kind: string
  readonly actor: string
  readonly op: string
  /**
   * `done`: carried out after the place. The others are states at the time of the query. `parked`: it waits for its
   * actor. `passed over`: it failed. `waits`: its set has not read the cause yet.
   */
  readonly state: "done" | "parked" | "passed over" | "waits"
  /** The sequence of the commit that carried out the command; `null` if there is none. */
  readonly by: number | null
}

export interface Flight {
  readonly sets: Readonly<Record<string, number>>
  /** The first `NAMED_MAX` commands, in the order of their causes. */
  readonly named: ReadonlyArray<InFlight>
  /**
   * False if commits that were not read may have carried out more commands, or if more commands wait than are counted.
   */
  readonly complete: boolean
}

export interface SetStates {
  /** For each set, the last sequence that it has processed. */
  readonly marks: ReadonlyMap<string, number>
  /** The parked commands and recorded faults of all sets. */
  readonly aside: ReadonlyArray<{ readonly set: string; readonly why: "parked" | "fault"; readonly one: Aside }>
}

const NEEDLE = Buffer.from("react.")

export class Flying {
  /** Commands by their ids. */
  private readonly done = new Map<string, InFlight>()
  private readonly waiting = new Map<string, InFlight>()
  private overflown = false
  private readonly at: number
  private readonly known: SetStates
  /** For each kind, the sets that read its commits. */
  private readonly sets = new Map<string, ReadonlyArray<Reactions>>()

  /** `at`: the last sequence that belongs to the place. */
  constructor(at: number, known: SetStates) {
    this.at = at
    this.known = known
    for (const set of REACTIONS)
      for (const kind of set.kinds) this.sets.set(kind, [...(this.sets.get(kind) ?? []), set])
  }

  /** Reads a commit. Call it for every commit up to `LOOK_AHEAD` after the place, in order. */
  read({ subject, seq, data }: Stored): void {
    if (data.length === 0) return
    if (seq > this.at) {
      if (seq <= this.at + LOOK_AHEAD && isReaction(data)) this.look(subject, seq, data)
      return
    }
    if (this.waiting.size > 0 && isReaction(data)) this.waiting.delete(commitOf(messageOf(subject, seq, data)).id)
    const kind = kindIn(subject)
    const ahead = this.sets.get(kind)?.filter(({ name }) => seq > (this.known.marks.get(name) ?? 0)) ?? []
    if (ahead.length > 0) this.expect(ahead, subject, seq, data)
  }

  private look(subject: string, seq: number, data: Uint8Array): void {
    const { id, op } = commitOf(messageOf(subject, seq, data))
    const place = reactionPlaceOf(id)
    if (place === null || !(place.seq <= this.at) || this.done.has(id)) return
    this.waiting.delete(id)
    this.done.set(id, {
      cause: place.seq,
      set: place.set,
      kind: place.kind,
      actor: place.actor,
      op,
      state: "done",
      by: seq
    })
  }

  /** `last` is the end of the log. */
  flight(last: number): Flight {
    const aside = this.known.aside.flatMap(({ set, why, one: { seq, kind, id, command } }): ReadonlyArray<InFlight> => {
      if (seq > this.at) return []
      const { op = "", kind: of = kind, actor = id } = command ?? {}
      const state = why === "parked" ? "parked" : "passed over"
      return [{ cause: seq, set, kind: of, actor, op, state, by: null }]
    })
    const all = [...this.done.values(), ...aside, ...this.waiting.values()]
    const sets: Record<string, number> = {}
    for (const { set } of all) sets[set] = (sets[set] ?? 0) + 1
    return {
      sets,
      named: all.toSorted((one, other) => one.cause - other.cause).slice(0, NAMED_MAX),
      complete: !this.overflown && last <= this.at + LOOK_AHEAD
    }
  }

  private expect(ahead: ReadonlyArray<Reactions>, subject: string, seq: number, data: Uint8Array): void {
    const message = messageOf(subject, seq, data)
    const { kind, id } = message
    const commit = commitOf(message)
    for (const { name, follows } of ahead) {
      for (const { id: command, told } of followsOf(name, seq, () =>
        follows(kind, commit, { id, seq, at: commit.at })
      )) {
        if (this.waiting.size >= WAITING_MAX) this.overflown = true
        else {
          const { kind: of, actor, op } = told
          this.waiting.set(command, { cause: seq, set: name, kind: of, actor, op, state: "waits", by: null })
        }
      }
    }
  }
}

/** True if the commit may come from a reaction. Nearly all others need not be parsed. */
const isReaction = (data: Uint8Array): boolean =>
  Buffer.from(data.buffer, data.byteOffset, data.length).includes(NEEDLE)

/** A commit with an event of a newer release gives no commands, because this release does not know its consequences. */
const followsOf = (set: string, seq: number, told: () => Parameters<typeof commandsOf>[2]) => {
  try {
    return commandsOf(set, seq, told())
  } catch (error) {
    if (error instanceof UnknownEvent) return []
    throw error
  }
}
