/**
 * Rate, errors and duration of calls of one sort, by the name of the called operation. They are reported to Prometheus
 * and in `$SRV.STATS`.
 */
import type { Clock } from "effect"
import { monotonicMs } from "../clock.ts"
import type { ErrorCode } from "../../errors.ts"
import { CHILDREN_MAX, Counter, DURATION_SECONDS, type Histogram, type Meter, OTHER } from "./meter.ts"

/** `refused` means that a rule of the service applied as intended. The last three outcomes are faults. */
const OUTCOMES = ["ok", "refused", "unavailable", "overloaded", "failed"] as const
export type Outcome = (typeof OUTCOMES)[number]

export const outcomeOf = (refused: ErrorCode | undefined): Outcome => {
  if (refused === undefined) return "ok"
  if (refused === "unavailable" || refused === "overloaded") return refused
  return refused === "internal_error" ? "failed" : "refused"
}

const FAULTS: ReadonlySet<Outcome> = new Set(["unavailable", "overloaded", "failed"])

export interface CallNames {
  /** The name of the counter, which ends in `_total`, and of the histogram, which ends in `_seconds`. */
  readonly total: string
  readonly seconds: string
  /** The calls' name in the help texts: "Operations carried out by actors". */
  readonly what: string
  readonly label: string
}

export interface CallStats {
  readonly name: string
  readonly requests: number
  /** Faults of the service. Refusals by rule do not count. */
  readonly errors: number
  readonly seconds: number
  /** The code of the most recent fault; never its message. */
  readonly lastError: string | null
}

/** Figures of an operation that was not called yet. */
export const neverCalled = (name: string): CallStats => ({ name, requests: 0, errors: 0, seconds: 0, lastError: null })

interface Child {
  readonly byOutcome: Readonly<Record<Outcome, Counter>>
  readonly duration: Histogram
  lastError: ErrorCode | null
}

export class Calls {
  private readonly meter: Meter
  private readonly names: CallNames
  private readonly children = new Map<string, Child>()
  private readonly accepts: (name: string) => boolean

  /** Names that are not accepted count as `other`. */
  constructor(meter: Meter, names: CallNames, accepts: (name: string) => boolean = () => true) {
    this.meter = meter
    this.names = names
    this.accepts = accepts
  }

  settled(name: string, refused: ErrorCode | undefined, seconds: number): void {
    const child = this.children.get(name) ?? this.child(name)
    const outcome = outcomeOf(refused)
    child.byOutcome[outcome].add()
    child.duration.observe(seconds)
    if (refused !== undefined && FAULTS.has(outcome)) child.lastError = refused
  }

  /** Reports the name from now on, even before the first call. */
  expect(name: string): void {
    this.child(name)
  }

  stats(): ReadonlyArray<CallStats> {
    return [...this.children].map(([name, { byOutcome, duration, lastError }]) => ({
      name,
      requests: duration.count,
      errors: OUTCOMES.filter((outcome) => FAULTS.has(outcome)).reduce(
        (sum, outcome) => sum + byOutcome[outcome].value,
        0
      ),
      seconds: duration.sum,
      lastError
    }))
  }

  private child(name: string): Child {
    const known = this.children.get(name)
    if (known !== undefined) return known
    if (name !== OTHER && (this.children.size >= CHILDREN_MAX || !this.accepts(name))) return this.child(OTHER)
    // The counters of all outcomes are made together, so that a first failure appears as a rise from 0.
    const { total, seconds, what, label } = this.names
    const counted = (outcome: Outcome): Counter => {
      const counter = new Counter()
      this.meter.counter(total, `${what}, by outcome.`, () => counter.value, { [label]: name, outcome })
      return counter
    }
    const fresh: Child = {
      byOutcome: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, counted(outcome)])) as Record<Outcome, Counter>,
      duration: this.meter.histogram(seconds, `${what}: how long each took, in seconds.`, DURATION_SECONDS, {
        [label]: name
      }),
      lastError: null
    }
    this.children.set(name, fresh)
    return fresh
  }
}

/** Returns the seconds since `began`, which is in monotonic ms of the same clock. */
export const secondsSince = (clock: Clock.Clock, began: number): number => (monotonicMs(clock) - began) / 1000
