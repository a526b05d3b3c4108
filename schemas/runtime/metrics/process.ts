/** Metrics that every process has, under the names that dashboards for Node use. */
import type { Clock } from "effect"
import { monotonicMs, wallMs } from "../clock.ts"
import { VERSION } from "../../version.ts"
import type { Meter } from "./meter.ts"

interface DelayShape {
  enable(): boolean
  reset(): void
  percentile(percent: number): number
}

export interface Platform {
  readonly monitorEventLoopDelay: (options: { resolution: number }) => DelayShape
  readonly readdir: (path: string) => Promise<ReadonlyArray<string>>
}

/** Each measurement wakes the process, even an idle one. */
const DELAY_RESOLUTION_MS = 50
/** The percentiles cover the time since the first scrape that came this long after the last reset. */
const DELAY_WINDOW_MS = 10_000
const GC_SECONDS: ReadonlyArray<number> = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1]
/** V8's numbers for the kinds of garbage collection (perf_hooks.constants). */
const GC_KINDS: Readonly<Record<number, string>> = { 1: "minor", 4: "major", 8: "incremental", 16: "weakcb" }
const NS = 1e9
const US = 1e6

export const processMetrics = (
  clock: Clock.Clock,
  meter: Meter,
  platform: Platform,
  roles: ReadonlyArray<string>
): void => {
  for (const role of roles)
    meter.gauge(
      "hub_build_info",
      "Which version of the service this is, and what the process does; always 1.",
      () => 1,
      { version: VERSION, role }
    )
  cpuAndMemory(clock, meter)
  openFiles(meter, platform)
  eventLoop(clock, meter, platform)
  garbageCollection(meter)
}

const cpuAndMemory = (clock: Clock.Clock, meter: Meter): void => {
  const startedAt = wallMs(clock) / 1000 - process.uptime()
  meter.gauge("process_start_time_seconds", "When the process began, in seconds since 1970.", () => startedAt)
  meter.counter(
    "process_cpu_user_seconds_total",
    "CPU time spent in the process's own code, in seconds.",
    () => process.cpuUsage().user / US
  )
  meter.counter(
    "process_cpu_system_seconds_total",
    "CPU time spent in the kernel for the process, in seconds.",
    () => process.cpuUsage().system / US
  )
  meter.counter("process_cpu_seconds_total", "CPU time, in seconds.", () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / US
  })
  meter.gauge("process_resident_memory_bytes", "Resident memory, in bytes.", () => process.memoryUsage.rss())
  meter.gauge("nodejs_heap_size_used_bytes", "Heap of V8 that is used, in bytes.", () => process.memoryUsage().heapUsed)
  meter.gauge("nodejs_heap_size_total_bytes", "Heap of V8, in bytes.", () => process.memoryUsage().heapTotal)
  meter.gauge(
    "nodejs_external_memory_bytes",
    "Memory of objects that V8 knows of but does not hold, buffers among them, in bytes.",
    () => process.memoryUsage().external
  )
}

/** Counts open files. Only Linux reports them. */
const openFiles = (meter: Meter, { readdir }: Platform): void => {
  let open: number | null = null
  meter.collect(async () => {
    open = await readdir("/proc/self/fd").then(
      (names) => names.length,
      () => null
    )
  })
  meter.gauge("process_open_fds", "Open file descriptors, sockets among them.", () => open)
}

const eventLoop = (clock: Clock.Clock, meter: Meter, { monitorEventLoopDelay }: Platform): void => {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS })
  delay.enable()
  let beganAt = monotonicMs(clock)
  let seen = { p50: 0, p99: 0 }
  // The delay of the measuring timer. Without delay it measures its own interval.
  const lateBy = (percent: number): number => Math.max(0, delay.percentile(percent) / NS - DELAY_RESOLUTION_MS / 1000)
  meter.collect(async () => {
    seen = { p50: lateBy(50), p99: lateBy(99) }
    if (monotonicMs(clock) - beganAt < DELAY_WINDOW_MS) return
    delay.reset()
    beganAt = monotonicMs(clock)
  })
  meter.gauge(
    "nodejs_eventloop_lag_p50_seconds",
    "Lateness of timers at the median since about the last scrape, in seconds.",
    () => seen.p50
  )
  meter.gauge(
    "nodejs_eventloop_lag_p99_seconds",
    "Lateness of timers at the 99th percentile since about the last scrape, in seconds.",
    () => seen.p99
  )
  meter.counter(
    "nodejs_eventloop_active_seconds_total",
    "Time in which the event loop had something to do, in seconds.",
    () => performance.eventLoopUtilization().active / 1000
  )
}

interface GarbageCollected {
  /** Milliseconds. */
  readonly duration: number
  readonly detail: { readonly kind: number }
}

const garbageCollection = (meter: Meter): void => {
  const byKind = new Map(
    Object.entries(GC_KINDS).map(
      ([kind, name]) =>
        [
          Number(kind),
          meter.histogram(
            "nodejs_gc_duration_seconds",
            "Garbage collections by kind: how long each took, in seconds.",
            GC_SECONDS,
            { kind: name }
          )
        ] as const
    )
  )
  const observer = new PerformanceObserver((list) => {
    for (const { detail, duration } of list.getEntries() as unknown as ReadonlyArray<GarbageCollected>)
      byKind.get(detail.kind)?.observe(duration / 1000)
  })
  observer.observe({ entryTypes: ["gc"] })
}
