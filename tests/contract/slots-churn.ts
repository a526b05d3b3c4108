/**
 * Entries come and go, sixty at a time, in slots that have grown old. Prints how many young and full collections it
 * took.
 */
import { constants, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks"
import { Slots } from "../../schemas/runtime/bus/slots.ts"

const ROUNDS = 2_000
const ENTRIES_PER_ROUND = 500
const HELD = 60

const counts = { young: 0, full: 0 }
const count = (entries: ReadonlyArray<PerformanceEntry>): void => {
  for (const entry of entries) {
    const { kind } = (entry as PerformanceEntry & { readonly detail: { readonly kind: number } }).detail
    if (kind === constants.NODE_PERFORMANCE_GC_MINOR) counts.young++
    if (kind === constants.NODE_PERFORMANCE_GC_MAJOR) counts.full++
  }
}

const slots = new Slots<{ readonly filler: ReadonlyArray<number> }>()
const numbers: Array<number> = Array.from({ length: HELD }, () => slots.add({ filler: [] }))
globalThis.gc?.()

const observer = new PerformanceObserver((list) => count(list.getEntries()))
observer.observe({ entryTypes: ["gc"] })
const turn = (round: number): void => {
  for (let index = 0; index < ENTRIES_PER_ROUND; index++) {
    const place = index % HELD
    slots.take(numbers[place] ?? 0)
    numbers[place] = slots.add({ filler: Array.from({ length: 40 }, () => round) })
  }
  if (round < ROUNDS) setImmediate(() => turn(round + 1))
  else {
    count(observer.takeRecords())
    process.stdout.write(JSON.stringify(counts))
  }
}
setImmediate(() => turn(1))
