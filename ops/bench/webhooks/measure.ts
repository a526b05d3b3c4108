/** Helpers that wait for deliveries and compute figures. */
import { setTimeout as delay } from "node:timers/promises"

const DEADLINE_MS = 120_000

export const until = async (what: string, condition: () => boolean): Promise<void> => {
  const late = performance.now() + DEADLINE_MS
  while (!condition()) {
    if (performance.now() > late) throw new Error(`${what} did not come`)
    await delay(5)
  }
}

export const quantile = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export const median = (values: ReadonlyArray<number>): number => quantile(values, 0.5)
