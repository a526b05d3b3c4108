/**
 * Counts the statuses of all actors of a log, which is read commit by commit.
 *
 * Invariants
 *  - The kind's own `evolve` decides the new status. It gets a state of another actor with the same status, so that
 *    only a few states are kept for a million agents (statuses.ts; tests/ops/standing.test.ts compares this with
 *    complete folds).
 *  - Existing compartments, and vaults with open fills, keep a state of their own, up to `WHOLE_MAX`.
 */
import { KINDS } from "../../actors/process/kinds.ts"
import type { CompartmentState } from "../../actors/compartment/state.ts"
import { isThere } from "../../actors/compartment/state.ts"
import { foldCommit } from "../../actors/engine/fold.ts"
import type { KindFold } from "../../actors/kit/kind.ts"
import type { Stored } from "../../actors/log/stream-pages.ts"
import { commitOf, messageOf } from "../../actors/projections/projection.ts"
import type { VaultState } from "../../actors/vault/state.ts"
import { kindIn } from "./kind-in.ts"
import { isOpenReport, openFills, sharedOf, statusOf, wholeOf } from "./statuses.ts"
import { ActorTable, TooMany } from "./table.ts"

/** The most actors with a state of their own. */
const WHOLE_MAX = 100_000
/** The most open reports and the most open fills that are listed. */
const NAMED_MAX = 1000

/** The number of actors by kind and status; the status is `""` for a kind without statuses. */
export type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>

export interface OpenFill {
  readonly agent: string
  readonly fill: number
  readonly entry: number
  readonly status: "asked" | "pending"
  /** Unix ms. */
  readonly expires_at: number
}

export interface RunningCompartment {
  readonly id: string
  readonly agent: string
  readonly host: string
  readonly run: number
  /** Unix ms. */
  readonly started_at: number | null
}

export interface Standings {
  readonly counts: Counts
  readonly open_reports: ReadonlyArray<number>
  readonly open_fills: ReadonlyArray<OpenFill>
  readonly running: ReadonlyArray<RunningCompartment>
}

interface Class {
  readonly kind: string
  readonly status: string
  /** The state of one actor with this status. */
  state: unknown
  count: number
}

interface Watched {
  readonly fold: KindFold
  readonly status: (state: unknown) => string
  readonly whole: (state: unknown) => unknown
  readonly shared: (state: unknown) => unknown
  readonly classes: Map<string, number>
}

const watched = (): ReadonlyMap<string, Watched> =>
  new Map(
    KINDS.flatMap(({ fold }) => {
      const status = statusOf(fold.kind)
      if (status === undefined) return []
      const whole = wholeOf(fold.kind) ?? (() => null)
      const shared = sharedOf(fold.kind) ?? ((state: unknown) => state)
      return [[fold.kind, { fold, status, whole, shared, classes: new Map() }]]
    })
  )

export class StandingActors {
  private readonly table = new ActorTable()
  private readonly watched = watched()
  /** Classes by their numbers; 0 is unused. */
  private readonly classes: Array<Class> = [{ kind: "", status: "", state: undefined, count: 0 }]
  private readonly counted = new Map<string, number>()
  private readonly whole = new Map<string, unknown>()
  private readonly reports = new Set<string>()

  /** Throws `TooMany`, and `UnknownEvent` for a kind with statuses if a newer release wrote the event. */
  read({ subject, seq, data }: Stored): void {
    if (data.length === 0) return
    const kind = kindIn(subject)
    const one = this.watched.get(kind)
    this.table.update(subject, (before) => {
      const after = one === undefined ? this.countedAs(kind) : this.folded(one, before, { subject, seq, data })
      if (after !== before) {
        this.move(before, -1)
        this.move(after, 1)
      }
      return after
    })
  }

  get standings(): Standings {
    const counts: Record<string, Record<string, number>> = {}
    for (const { kind, status, count } of this.classes)
      if (count > 0) counts[kind] = { ...counts[kind], [status]: count }
    const whole = [...this.whole].toSorted(([one], [other]) => (one < other ? -1 : 1))
    const states = (kind: string) =>
      whole.flatMap(([subject, state]) => {
        const { kind: its, id } = messageOf(subject, 0, NO_DATA)
        return its === kind ? [{ id, state }] : []
      })
    return {
      counts: sorted(counts),
      open_reports: [...this.reports].map(Number).toSorted((one, other) => one - other),
      open_fills: states("vault")
        .flatMap(({ id, state }) =>
          openFills(state as VaultState).flatMap(({ fill, entry, status, expires_at }) =>
            status === "asked" || status === "pending" ? [{ agent: id, fill, entry, status, expires_at }] : []
          )
        )
        .slice(0, NAMED_MAX),
      running: states("compartment").flatMap(({ id, state }) => {
        const one = state as CompartmentState
        if (!isThere(one) || one.status !== "running") return []
        const { agent, host, run, started_at } = one
        return [{ id, agent, host, run, started_at }]
      })
    }
  }

  private countedAs(kind: string): number {
    const known = this.counted.get(kind)
    if (known !== undefined) return known
    const code = this.classes.push({ kind, status: "", state: undefined, count: 0 }) - 1
    this.counted.set(kind, code)
    return code
  }

  private folded({ fold, status, whole, shared, classes }: Watched, before: number, stored: Stored): number {
    const { subject, seq, data } = stored
    const message = messageOf(subject, seq, data)
    const kept = this.whole.get(subject)
    const state = kept ?? (before === 0 ? fold.initial : this.classes[before]?.state)
    const next = foldCommit(fold, state, commitOf(message), message.id)
    const worth = whole(next)
    if (worth !== null) {
      if (kept === undefined && this.whole.size >= WHOLE_MAX)
        throw new TooMany(`more than ${WHOLE_MAX} compartments and vaults have to be kept whole`)
      this.whole.set(subject, worth)
    } else if (kept !== undefined) this.whole.delete(subject)
    const named = status(next)
    if (fold.kind === "report") this.report(message.id, named)
    const code =
      classes.get(named) ?? this.classes.push({ kind: fold.kind, status: named, state: undefined, count: 0 }) - 1
    classes.set(named, code)
    const one = this.classes[code]
    if (one !== undefined && one.state === undefined && worth === null) one.state = shared(next)
    return code
  }

  private report(id: string, status: string): void {
    if (!isOpenReport(status)) this.reports.delete(id)
    else if (this.reports.size < NAMED_MAX) this.reports.add(id)
  }

  private move(code: number, by: number): void {
    const one = this.classes[code]
    if (one !== undefined && code !== 0) one.count += by
  }
}

const NO_DATA = new Uint8Array(0)

const sorted = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).toSorted(([one], [other]) => (one < other ? -1 : 1)))
