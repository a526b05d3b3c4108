/**
 * The last hour as points, from the figures that processes report: rates of requests, commits and refusals, and the
 * duration of requests. Pure except for its memory.
 *
 * Invariants
 *  - It holds at most `POINTS_MAX` points and `PROCESSES_MAX` processes.
 *  - A process counts from its second report on, because the period of its first totals is unknown.
 *  - A process that stops reporting is shown as silent for `SILENT_MS`, unless a new one with its roles appears. If no
 *    process reports, the bus may be down, so no further one becomes silent.
 *  - An unknown value is `null`, never zero.
 */
import { DURATION_SECONDS } from "../../../schemas/runtime/metrics/meter.ts"
import type { Figures } from "../../../schemas/runtime/metrics/figures.ts"

export const POINT_EVERY_MS = 10_000
export const POINTS_MAX = 360
const PROCESSES_MAX = 500
/** The number of refusal codes that a point names, the most frequent ones. */
const CODES_MAX = 12
const OTHER = "other"

/**
 * A point of the plots: requests a second, commits a second, median ms, 99th percentile ms, refusals a second by code.
 */
export type Point = readonly [
  requests: number | null,
  commits: number | null,
  p50: number | null,
  p99: number | null,
  refused: Readonly<Record<string, number>>
]

export interface Load {
  /** The share of one core; `null` until there are two figures. */
  readonly cpu: number | null
  readonly memory_bytes: number
}

interface Heard {
  readonly figures: Figures
  /** Monotonic ms. */
  readonly began: number
  readonly at: number
  /** The time of its last answer, in Unix seconds. */
  readonly seconds: number
}

/** A process that has reported before, and no longer does. */
export interface Silent extends Pick<Figures, "host" | "pid" | "roles"> {
  /** Unix seconds. */
  readonly since: number
}

/** A process counts as silent only after this time, so one missed answer has no effect. */
const MISSED_MS = 15_000
/** The time for which a silent process is listed. */
const SILENT_MS = 600_000
const MS = 1000
const MEDIAN = 0.5
const HIGH = 0.99

const rounded = (value: number): number => Number(value.toPrecision(3))

/**
 * Interpolates linearly within a bucket, as Prometheus does. Above the last bound it returns that bound. `null` if
 * there are no values.
 */
export const quantileMs = (counts: ReadonlyArray<number>, part: number): number | null => {
  const all = counts.reduce((sum, count) => sum + count, 0)
  if (all === 0) return null
  let rest = all * part
  for (const [place, count] of counts.entries()) {
    const upper = DURATION_SECONDS[place]
    if (upper === undefined) break
    const lower = DURATION_SECONDS[place - 1] ?? 0
    if (count > 0 && rest <= count) return rounded((lower + (upper - lower) * (rest / count)) * MS)
    rest -= count
  }
  return (DURATION_SECONDS.at(-1) ?? 0) * MS
}

const rise = (now: number, before: number): number => Math.max(0, now - before)

interface Summed {
  requests: number | null
  commits: number | null
  durations: Array<number>
  readonly refused: Map<string, number>
}

const addEdge = (sum: Summed, now: NonNullable<Figures["edge"]>, before: NonNullable<Figures["edge"]>, s: number) => {
  sum.requests = (sum.requests ?? 0) + rise(now.requests, before.requests) / s
  sum.durations = now.durations.map(
    (count, place) => (sum.durations[place] ?? 0) + rise(count, before.durations[place] ?? 0)
  )
  for (const [code, count] of Object.entries(now.refusals)) {
    const more = rise(count, before.refusals[code] ?? 0)
    if (more > 0) sum.refused.set(code, (sum.refused.get(code) ?? 0) + more / s)
  }
}

const namedCodes = (refused: ReadonlyMap<string, number>): Readonly<Record<string, number>> => {
  const sorted = [...refused].toSorted(([, left], [, right]) => right - left)
  const rest = sorted.slice(CODES_MAX).reduce((sum, [, rate]) => sum + rate, 0)
  const named = sorted.slice(0, CODES_MAX).map(([code, rate]) => [code, rounded(rate)] as const)
  return Object.fromEntries(rest > 0 ? [...named, [OTHER, rounded(rest)] as const] : named)
}

export class History {
  private readonly kept = new Map<string, Point>()
  private heard: ReadonlyMap<string, Heard> = new Map()
  private loads: ReadonlyMap<string, Load> = new Map()
  private at = 0

  /** `seconds` is the Unix time of the point. `at` is the time of the figures in monotonic ms. */
  add(seconds: number, at: number, told: ReadonlyArray<Figures>): void {
    const sum: Summed = { requests: null, commits: null, durations: [], refused: new Map() }
    const heard = new Map([...this.heard].filter(([, before]) => at - before.at < SILENT_MS))
    const loads = new Map<string, { cpu: number | null; memory_bytes: number }>()
    for (const figures of told.slice(0, PROCESSES_MAX)) {
      const before = this.heard.get(figures.id)
      // A process that answers again moves to the end, so the first ones are those that were silent longest.
      heard.delete(figures.id)
      heard.set(figures.id, { figures, began: before?.began ?? at, at, seconds })
      const passed = before === undefined ? 0 : (at - before.at) / MS
      const counts = before !== undefined && passed > 0
      loads.set(placeKey(figures), {
        cpu: counts ? rounded(rise(figures.cpu_seconds, before.figures.cpu_seconds) / passed) : null,
        memory_bytes: figures.memory_bytes
      })
      if (!counts) continue
      if (figures.edge !== null && before.figures.edge !== null) addEdge(sum, figures.edge, before.figures.edge, passed)
      if (figures.commits !== null && before.figures.commits !== null)
        sum.commits = (sum.commits ?? 0) + rise(figures.commits, before.figures.commits) / passed
    }
    this.heard = new Map([...heard].slice(-PROCESSES_MAX))
    this.loads = loads
    if (told.length > 0) this.at = at
    this.kept.set(String(seconds), [
      sum.requests === null ? null : rounded(sum.requests),
      sum.commits === null ? null : rounded(sum.commits),
      quantileMs(sum.durations, MEDIAN),
      quantileMs(sum.durations, HIGH),
      namedCodes(sum.refused)
    ])
    const [oldest] = this.kept.keys()
    if (this.kept.size > POINTS_MAX && oldest !== undefined) this.kept.delete(oldest)
  }

  /** Points by their times, in Unix seconds. */
  get points(): Readonly<Record<string, Point>> {
    return Object.fromEntries(this.kept)
  }

  /** Each new process with the same roles replaces one silent process. */
  get silent(): ReadonlyArray<Silent> {
    const all = [...this.heard.values()].toSorted((left, right) => left.at - right.at)
    const gone = all.filter(({ at }) => this.at - at > MISSED_MS)
    const came = [...all]
    return gone.flatMap(({ figures: { host, pid, roles }, at, seconds }) => {
      const instead = came.findIndex((one) => one.figures.roles === roles && one.began > at)
      if (instead === -1) return [{ host, pid, roles, since: seconds }]
      came.splice(instead, 1)
      return []
    })
  }

  /** The load of the process at a place; `null` if it has not reported lately. */
  loadOf(place: Pick<Figures, "host" | "pid">): Load | null {
    return this.loads.get(placeKey(place)) ?? null
  }
}

const placeKey = ({ host, pid }: Pick<Figures, "host" | "pid">): string => `${host} ${pid}`
