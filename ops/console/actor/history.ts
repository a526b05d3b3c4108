/**
 * An actor's history around one commit, folded as it is read.
 *
 * Invariants
 *  - However long the history, no more than `COMMITS_MAX` commits and their states are kept.
 *  - A history that takes longer than `READ_MS` is not shown: the page names the command that shows it.
 */
import type { LogEntry } from "../../../actors/log/commit.ts"
import type { Service } from "../../cli/connection.ts"
import { Fault } from "../../cli/fault.ts"
import { evolved, historyOf, type Step } from "../../replay/fold.ts"
import { READ_MS, reading } from "../readings.ts"
import type { NodeKind } from "../../../actors/process/kinds.ts"

export const COMMITS_MAX = 200
/** The most commits that are shown after the chosen one. */
const AFTER_MAX = 100
/** The most commits in a download. */
const ENTRIES_MAX = 20_000
const ENTRIES_MAX_BYTES = 16_777_216

export interface Actor {
  readonly kind: NodeKind
  readonly id: string
}

export interface Around {
  /** At least one step. */
  readonly steps: ReadonlyArray<Step>
  /** Index of the chosen commit in `steps`. */
  readonly chosen: number
  readonly before: unknown
  /** The number of commits before these. */
  readonly earlier: number
  /** True if there are commits after these. */
  readonly later: boolean
}

const tooLong = ({ kind, id }: Actor, read: number): Fault =>
  new Fault(
    `Reading this history took longer than ${READ_MS / 1000} s, with ${read} commits read. ` +
      `Use npm run hub -- replay ${kind.fold.kind} ${id} --last 100`
  )

async function* entriesOf({ log }: Service, actor: Actor, signal: AbortSignal): AsyncGenerator<LogEntry> {
  let read = 0
  for await (const entry of historyOf(log, actor.kind.fold.kind, actor.id)) {
    if (signal.aborted) throw tooLong(actor, read)
    read++
    yield entry
  }
}

/**
 * Reads the history around the last commit up to `at`, or around the newest commit if that is `null`. Returns `null` if
 * the log has nothing about the actor.
 */
export const around = (service: Service, actor: Actor, at: number | null): Promise<Around | null> =>
  reading(async (signal) => {
    const { kind, id } = actor
    let state: unknown = kind.fold.initial
    const steps: Array<Step> = []
    let [earlier, after, later] = [0, 0, false]
    for await (const entry of entriesOf(service, actor, signal)) {
      const isAfter = at !== null && entry.seq > at && steps.length > 0
      if (isAfter && after >= AFTER_MAX && steps.length >= COMMITS_MAX) {
        later = true
        break
      }
      if (isAfter) after++
      state = evolved(kind.fold, id, state, entry)
      steps.push({ entry, state })
      // The chosen commit and the one before it stay, because at most half of the commits come after the chosen one.
      if (steps.length > COMMITS_MAX) {
        steps.shift()
        earlier++
      }
    }
    if (steps.length === 0) return null
    const chosen = steps.length - 1 - after
    return { steps, chosen, before: chosen === 0 ? kind.fold.initial : steps[chosen - 1]?.state, earlier, later }
  })

/** All commits up to a sequence, and the next one. */
export interface Whole {
  readonly entries: ReadonlyArray<LogEntry>
  readonly next: LogEntry | undefined
}

export const upTo = (service: Service, actor: Actor, until: number): Promise<Whole> =>
  reading(async (signal) => {
    const entries: Array<LogEntry> = []
    let bytes = 0
    for await (const entry of entriesOf(service, actor, signal)) {
      if (entry.seq > until) return { entries, next: entry }
      bytes += JSON.stringify(entry).length
      if (entries.length >= ENTRIES_MAX || bytes > ENTRIES_MAX_BYTES)
        throw new Fault(
          `A download holds at most ${ENTRIES_MAX} commits and ${ENTRIES_MAX_BYTES} bytes. ` +
            `Use npm run hub -- replay ${actor.kind.fold.kind} ${actor.id} --to ${until} --export history.json`
        )
      entries.push(entry)
    }
    return { entries, next: undefined }
  })
