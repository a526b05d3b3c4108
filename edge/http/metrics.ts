/**
 * An edge's metrics of its requests: rate, errors and duration by route.
 *
 * The label of a route is its template. A request that matched no endpoint has the label `none` below /api/v1, and
 * `page` elsewhere.
 */
import type { Clock } from "effect"
import { type Endpoint, ENDPOINTS, isApiPath } from "./endpoints.ts"
import type { Call } from "./call.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { CallStats } from "../../schemas/runtime/metrics/calls.ts"
import type { Figures } from "../../schemas/runtime/metrics/figures.ts"
import { Calls, secondsSince } from "../../schemas/runtime/metrics/calls.ts"
import { askCalls } from "../../schemas/runtime/metrics/bus.ts"
import { Counter, Counters, DURATION_SECONDS, Histogram, Meter, OTHER } from "../../schemas/runtime/metrics/meter.ts"

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
const SERVER_FAULT = 500

const nounOf = ({ id }: Endpoint): string => id.split(".")[0] ?? ""

const NOUNS: ReadonlyArray<string> = [...new Set(ENDPOINTS.map(nounOf)), "page", "none"]

interface Series {
  readonly duration: Histogram
  readonly byStatus: Map<number, Counter>
  /** Code of the most recent refusal with a status of 500 or above. */
  lastError: string | null
}

interface Route {
  readonly template: string
  /** The noun under which `$SRV.STATS` counts the route. */
  readonly noun: string
  readonly byMethod: Map<string, Series>
}

export class EdgeMetrics {
  readonly meter: Meter
  readonly asks: ReturnType<typeof askCalls>
  readonly queries: Calls
  private readonly requests: Counters
  private readonly reuse: Counters
  private readonly refusals: Counters
  private readonly rateLimited: ReadonlyMap<string, Counter>
  private readonly routes = new Map<Endpoint | "page" | "none", Route>()
  /** Durations of requests by any route, except routes that hold requests open on purpose (`held`). */
  private readonly durations = new Histogram(DURATION_SECONDS)
  private readonly byCode = new Map<string, number>()
  private answers = 0
  private inFlight = 0

  constructor(clock: Clock.Clock, { rate_limits }: Limits) {
    this.meter = new Meter(clock)
    this.asks = askCalls(this.meter)
    this.queries = new Calls(this.meter, {
      total: "hub_edge_queries_total",
      seconds: "hub_edge_query_duration_seconds",
      what: "Queries of the read models by this edge, with all their tries",
      label: "view"
    })
    this.requests = new Counters(
      this.meter,
      "hub_edge_requests_total",
      "Requests that were answered, by route and status; 499 is a client that left before.",
      ["method", "route", "status"]
    )
    this.reuse = new Counters(
      this.meter,
      "hub_edge_reused_total",
      "Answers that are the same for everybody: made, or given again.",
      ["outcome"]
    )
    this.refusals = new Counters(
      this.meter,
      "hub_edge_refusals_total",
      "Requests that were refused, by the error's code.",
      ["code"]
    )
    const limited = new Counters(
      this.meter,
      "hub_edge_rate_limited_total",
      "Requests that were refused for a rate limit, by its bucket.",
      ["bucket"]
    )
    this.rateLimited = new Map([...Object.keys(rate_limits), OTHER].map((bucket) => [bucket, limited.of(bucket)]))
    this.meter.gauge("hub_edge_requests_in_flight", "Requests that wait for their answer.", () => this.inFlight)
  }

  began(): void {
    this.inFlight++
  }

  reused(outcome: "again" | "made"): void {
    this.reuse.of(outcome).add()
  }

  left(): void {
    this.inFlight--
  }

  /** Call it before the first byte of an answer is sent. `began` is in monotonic ms. */
  answered(call: Call, status: number, began: number): void {
    const series = this.seriesOf(call)
    const seconds = secondsSince(call.clock, began)
    series.duration.observe(seconds)
    this.answers++
    if (call.endpoint?.held !== true) this.durations.observe(seconds)
    const counter = series.byStatus.get(status)
    if (counter !== undefined) counter.add()
    else this.firstOf(series, call, status).add()
    if (call.refusal === null) return
    this.refused(call.refusal)
    if (status >= SERVER_FAULT) series.lastError = call.refusal.code
  }

  stats(): ReadonlyArray<CallStats> {
    const nouns = new Map(
      NOUNS.map((noun) => [noun, { requests: 0, errors: 0, seconds: 0, lastError: null as string | null }])
    )
    for (const { noun, byMethod } of this.routes.values()) {
      const sum = nouns.get(noun)
      if (sum === undefined) continue
      for (const { duration, byStatus, lastError } of byMethod.values()) {
        sum.lastError = lastError ?? sum.lastError
        sum.requests += duration.count
        sum.seconds += duration.sum
        for (const [status, counter] of byStatus) if (status >= SERVER_FAULT) sum.errors += counter.value
      }
    }
    return [...nouns].map(([name, sum]) => ({ name, ...sum }))
  }

  /** Totals for the operators' console. Durations leave out requests that are held open on purpose. */
  figures(): NonNullable<Figures["edge"]> {
    return { requests: this.answers, refusals: Object.fromEntries(this.byCode), durations: this.durations.each }
  }

  private refused({ code, details }: NonNullable<Call["refusal"]>): void {
    this.refusals.of(code).add()
    this.byCode.set(code, (this.byCode.get(code) ?? 0) + 1)
    if (code === "rate_limited")
      (this.rateLimited.get(String(details?.["bucket"])) ?? this.rateLimited.get(OTHER))?.add()
  }

  private seriesOf(call: Call): Series {
    const key = call.endpoint ?? (isApiPath(call.path) ? "none" : "page")
    const route = this.routes.get(key) ?? this.newRoute(key)
    return route.byMethod.get(call.method) ?? this.newSeries(route, call.method)
  }

  private newRoute(key: Endpoint | "page" | "none"): Route {
    const route: Route =
      typeof key === "string"
        ? { template: key, noun: key, byMethod: new Map() }
        : { template: key.path, noun: nounOf(key), byMethod: new Map() }
    this.routes.set(key, route)
    return route
  }

  private newSeries(route: Route, sent: string): Series {
    const method = METHODS.has(sent) ? sent : OTHER
    const known = route.byMethod.get(method)
    if (known !== undefined) return known
    const help =
      "Requests by route: from the first byte of the request to its answer, in seconds. Requests that are held on purpose take long."
    const series: Series = {
      duration: this.meter.histogram("hub_edge_request_duration_seconds", help, DURATION_SECONDS, {
        method,
        route: route.template
      }),
      byStatus: new Map(),
      lastError: null
    }
    route.byMethod.set(method, series)
    return series
  }

  private firstOf(series: Series, call: Call, status: number): Counter {
    const key = call.endpoint ?? (isApiPath(call.path) ? "none" : "page")
    const template = this.routes.get(key)?.template ?? OTHER
    const counter = this.requests.of(METHODS.has(call.method) ? call.method : OTHER, template, String(status))
    series.byStatus.set(status, counter)
    return counter
  }
}
