/**
 * Folds an actor's history with the `evolve` of the service, and returns every commit with the resulting state. Reads
 * only.
 */
import { isDeepStrictEqual } from "node:util"
import { KINDS } from "../../actors/process/kinds.ts"
import { decodeEvent, shapeProblem } from "../../actors/engine/events.ts"
import { foldCommit } from "../../actors/engine/fold.ts"
import type { EventLog, LogEntry } from "../../actors/log/commit.ts"
import { subjects } from "../../schemas/subjects.ts"
import { asJson } from "./difference.ts"
import type { NodeKind } from "../../actors/process/kinds.ts"

const PAGE = 1000

export type AnyFold = NodeKind["fold"]

export interface Step {
  readonly entry: LogEntry
  readonly state: unknown
}

export const kindOf = (name: string): NodeKind | undefined => KINDS.find((kind) => kind.fold.kind === name)

/** An actor kind without events keeps nothing in the log. */
export const isLogless = (kind: NodeKind): boolean => Object.keys(kind.fold.events).length === 0

/**
 * A remark for an actor without history: it never existed, or its log has ended. The two cannot be distinguished. Empty
 * for kinds whose log does not end.
 */
export const orEnded = (kind: Pick<AnyFold, "ends"> | undefined): string =>
  kind?.ends === true ? ": there was none, or it has ended and is no longer kept" : ""

/** True if a history lacks its beginning, and so gives no state. */
export const lacksItsBeginning = (fold: AnyFold, first: Step | undefined): boolean =>
  fold.ends === true && first !== undefined && isDeepStrictEqual(first.state, fold.initial)

/** A moment of a history, inclusive: a sequence, or Unix ms. */
export type Point = { readonly seq: number } | { readonly time: number }

export const isBeyond = (entry: LogEntry, point: Point | null): boolean => {
  if (point === null) return false
  return "seq" in point ? entry.seq > point.seq : entry.commit.at > point.time
}

/**
 * Reads the commits of an actor from the log, and checks that every event has the form that its kind declares. Throws
 * `MisshapenEvent` otherwise.
 */
export async function* historyOf(log: EventLog, kind: string, id: string): AsyncGenerator<LogEntry> {
  const events = kindOf(kind)?.events ?? null
  let after = 0
  for (;;) {
    const page = await log.read(subjects.event(kind, id), after, PAGE)
    for (const entry of page.entries) {
      if (events !== null) for (const event of entry.commit.events) decodeEvent(kind, events, event)
      yield entry
      after = entry.seq
    }
    if (!page.more) return
  }
}

/** The field in which a state differs from its kind's declaration, and the fault; `null` if there is none. */
export const stateProblem = (kind: string, state: unknown): string | null => {
  const declared = kindOf(kind)?.state
  return declared === undefined ? null : shapeProblem(declared, asJson(state), { onExcessProperty: "error" })
}

/** Folds the events of a commit. Throws `UnknownEvent` for an event of a newer release. */
export const evolved = (fold: AnyFold, id: string, state: unknown, { commit }: Pick<LogEntry, "commit">): unknown =>
  foldCommit(fold, state, commit, id)

/** The last step up to the point; `null` if there is none. Earlier steps are not kept. */
export const stateAt = async (
  entries: AsyncIterable<LogEntry> | Iterable<LogEntry>,
  fold: AnyFold,
  id: string,
  until: Point | null
): Promise<Step | null> => {
  let last: Step | null = null
  for await (const entry of entries) {
    if (isBeyond(entry, until)) break
    last = { entry, state: evolved(fold, id, last === null ? fold.initial : last.state, entry) }
  }
  return last
}

/** A longer history is not shown whole. */
const STEPS_MAX = 100_000

export class TooLong extends Error {}

/** The steps up to the point. Throws `TooLong`. */
export const replay = async (
  entries: AsyncIterable<LogEntry> | Iterable<LogEntry>,
  fold: AnyFold,
  id: string,
  until: Point | null
): Promise<ReadonlyArray<Step>> => {
  const steps: Array<Step> = []
  let state = fold.initial
  for await (const entry of entries) {
    if (isBeyond(entry, until)) break
    state = evolved(fold, id, state, entry)
    if (steps.length >= STEPS_MAX)
      throw new TooLong(`there are more than ${STEPS_MAX} commits: --at shows one state, --to ends the history earlier`)
    steps.push({ entry, state })
  }
  return steps
}
