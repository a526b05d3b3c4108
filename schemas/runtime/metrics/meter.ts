/**
 * A process's metrics, and their scrape (Prometheus text format 0.0.4, by effect's own formatter).
 *
 * Invariants
 *  - Values are only collected at a scrape. Hot paths only add to plain numbers.
 *  - Label values come from the code (a route's template, an operation, an error's code), never from what a client
 *    sent. If a family grows nevertheless, it stops at CHILDREN_MAX, and further values count as `other`.
 *  - Unknown values are left out of the scrape, and never reported as zero.
 */
import { type Clock, Context, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"

import { after, type Cancel } from "../clock.ts"

export type Labels = Readonly<Record<string, string>>

/** Read at each scrape; `null` if the value is not known at the moment. */
export type Reading = () => number | null

/** Bounds in seconds, from 1 ms to 10 s. */
export const DURATION_SECONDS: ReadonlyArray<number> = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
]

/** The most series of one family. */
export const CHILDREN_MAX = 500
export const OTHER = "other"
/** The milliseconds that a scrape waits for asynchronous values. Later ones are left out. */
const COLLECT_WITHIN_MS = 1000

export class Counter {
  value = 0

  add(): void {
    this.value++
  }
}

/** Uses plain numbers, because effect's own histogram counts in 32 bits, which a busy bucket fills within weeks. */
export class Histogram {
  count = 0
  sum = 0
  private readonly bounds: ReadonlyArray<number>
  private readonly counts: Float64Array

  constructor(bounds: ReadonlyArray<number>) {
    this.bounds = bounds
    this.counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    let at = 0
    while (at < this.bounds.length && value > (this.bounds[at] as number)) at++
    this.counts[at] = (this.counts[at] as number) + 1
    this.count++
    this.sum += value
  }

  /** The counts within each of the bounds, and above the last. */
  get each(): ReadonlyArray<number> {
    return [...this.counts]
  }

  get state(): Metric.HistogramState {
    let cumulated = 0
    const buckets = this.bounds.map((bound, at): [number, number] => [bound, (cumulated += this.counts[at] as number)])
    return { buckets, count: this.count, sum: this.sum, min: 0, max: 0 }
  }
}

type Registry = Context.Service.Shape<typeof Metric.MetricRegistry>

const UNKNOWN = Symbol("unknown")

export class Meter {
  readonly clock: Clock.Clock
  private readonly registry: Registry = new Map()
  private readonly context = Context.make(Metric.MetricRegistry, this.registry) as Context.Context<never>
  private readonly collectors: Array<() => Promise<void>> = []
  private scraping: Promise<string> | null = null

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  counter(name: string, description: string, reading: Reading, attributes: Labels = {}): void {
    this.register(Metric.counter(name, { description, attributes, incremental: true }), () =>
      known(reading(), (count) => ({ count, incremental: true }))
    )
  }

  gauge(name: string, description: string, reading: Reading, attributes: Labels = {}): void {
    this.register(Metric.gauge(name, { description, attributes }), () => known(reading(), (value) => ({ value })))
  }

  histogram(name: string, description: string, boundaries: ReadonlyArray<number>, attributes: Labels = {}): Histogram {
    const histogram = new Histogram(boundaries)
    this.register(Metric.histogram(name, { description, attributes, boundaries }), () => histogram.state)
    return histogram
  }

  /** Runs before each scrape and refreshes values that readings return. Its failures are ignored here. */
  collect(collector: () => Promise<void>): void {
    this.collectors.push(collector)
  }

  /** Simultaneous scrapes share one result. */
  scrape(): Promise<string> {
    this.scraping ??= this.collected().finally(() => {
      this.scraping = null
    })
    return this.scraping
  }

  private async collected(): Promise<string> {
    let cancel: Cancel | undefined
    const late = new Promise<void>((resolve) => {
      cancel = after(this.clock, COLLECT_WITHIN_MS, resolve)
    })
    await Promise.race([late, Promise.allSettled(this.collectors.map((collector) => collector()))])
    cancel?.()
    return PrometheusMetrics.formatUnsafe(Context.make(Metric.MetricRegistry, this.readNow()) as Context.Context<never>)
  }

  /** Reads each series once. Unknown values are left out. */
  private readNow(): Registry {
    const now: Registry = new Map()
    for (const [key, series] of this.registry) {
      const state: unknown = series.hooks.get(this.context)
      if (state !== UNKNOWN) now.set(key, { ...series, hooks: { ...series.hooks, get: () => state } })
    }
    return now
  }

  private register<Input, State>(metric: Metric.Metric<Input, State>, get: () => State | typeof UNKNOWN): void {
    Metric.registerUnsafe(metric, this.context, {
      get: get as () => State,
      update: () => undefined,
      modify: () => undefined
    })
  }
}

const known = <State>(value: number | null, state: (value: number) => State): State | typeof UNKNOWN =>
  value === null ? UNKNOWN : state(value)

/** Counters of one name, one for each set of label values. Callers may keep a counter. */
export class Counters {
  private readonly children = new Map<string, Counter>()
  private readonly register: (labels: Labels) => Counter
  private readonly names: ReadonlyArray<string>

  constructor(meter: Meter, name: string, help: string, names: ReadonlyArray<string>) {
    this.names = names
    this.register = (labels) => {
      const counter = new Counter()
      meter.counter(name, help, () => counter.value, labels)
      return counter
    }
  }

  of(...values: ReadonlyArray<string>): Counter {
    const key = values.join("\n")
    const child = this.children.get(key)
    if (child !== undefined) return child
    if (this.children.size >= CHILDREN_MAX && values.some((value) => value !== OTHER))
      return this.of(...values.map(() => OTHER))
    const fresh = this.register(Object.fromEntries(this.names.map((name, at) => [name, values[at] ?? ""])))
    this.children.set(key, fresh)
    return fresh
  }
}
