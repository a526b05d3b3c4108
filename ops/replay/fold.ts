/** Replays one actor's log: every commit and the state it leads to. Reads only. */
import { KINDS } from "../../actors/actors.ts"
import type { Kind } from "../../actors/kind.ts"
import type { EventLog, LogEntry } from "../../actors/engine/ports.ts"
import { subjects } from "../../schemas/subjects.ts"

const PAGE = 1000

export interface Step {
  readonly entry: LogEntry
  readonly state: unknown
}

type Fold = Kind["fold"]

export const foldOf = (name: string): Fold | undefined => KINDS.find((kind) => kind.fold.kind === name)?.fold

/** Where to stop, inclusive: a sequence, or Unix ms. */
export type Until = { readonly seq: number } | { readonly time: number } | null

export const replay = async (log: EventLog, fold: Fold, id: string, until: Until): Promise<ReadonlyArray<Step>> => {
  const steps: Array<Step> = []
  let state = fold.initial
  let after = 0
  for (;;) {
    const page = await log.read(subjects.event(fold.kind, id), after, PAGE)
    for (const entry of page.entries) {
      if (isBeyond(entry, until)) return steps
      for (const event of entry.commit.events) state = fold.evolve(state, event, { at: entry.commit.at, id })
      steps.push({ entry, state })
      after = entry.seq
    }
    if (!page.more) return steps
  }
}

const isBeyond = (entry: LogEntry, until: Until): boolean => {
  if (until === null) return false
  return "seq" in until ? entry.seq > until.seq : entry.commit.at > until.time
}

/** Fields that nobody should read off a screen or out of a ticket: sealed secrets, answers to questions, keyed replies. */
const MASKED = new Set(["webhook_secret", "sealedSecret", "answer", "answers"])

export const masked = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(masked)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, MASKED.has(name) && inner !== null ? "[masked]" : masked(inner)]))
}
