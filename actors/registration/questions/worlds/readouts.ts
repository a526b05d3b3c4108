/**
 * Converts final counts to answers (numbers, times, places in a list), and answers to the numbers that they stand for.
 */
import { only } from "../language/closing.ts"
import { clock, clock12 } from "../language/clock.ts"
import type { Scale } from "../story/world.ts"
import type { Readout } from "./accumulate.ts"

const DAY = 24 * 60

const sum = (totals: ReadonlyArray<number>): number => totals.reduce((one, other) => one + other, 0)

const NUMBERS: Scale = { name: "the number asked for", unit: "ones", of: Number, at: String }

export const inNumbers = {
  kind: "number",
  closing: only.number,
  candidates: null,
  scale: (): Scale => NUMBERS
} as const

/** A scale of places in a list. `name` tells the reader how they are counted. */
export const inPlaces = (name: string, of: (end: string) => number): Scale => ({
  name,
  unit: "ones",
  of: (end) => {
    const place = of(end)
    return place < 0 ? null : place + 1
  },
  at: String
})

const inMinutes = (told: (minutes: number) => string): Scale => {
  const all = new Map(Array.from({ length: DAY }, (_, minutes) => [told(minutes), minutes]))
  return {
    name: "the time asked for",
    unit: "minutes",
    of: (end) => all.get(end) ?? null,
    at: (minutes) => (minutes < DAY ? told(minutes) : null)
  }
}

export const asNumber: Readout = { ...inNumbers, read: (totals) => String(sum(totals)) }

/** The difference by which the first count is higher than the second. Null if it is not higher. */
export const asGap: Readout = {
  ...inNumbers,
  read: ([one = 0, other = 0]) => (one > other ? String(one - other) : null)
}

const timed = (kind: "time" | "time12", told: (minutes: number) => string): Readout => {
  const scale = inMinutes(told)
  return {
    kind,
    closing: only[kind],
    candidates: null,
    read: (totals) => (sum(totals) >= 0 && sum(totals) < DAY ? told(sum(totals)) : null),
    scale: () => scale
  }
}

export const asTime = timed("time", clock)
export const asTime12 = timed("time12", clock12)

/** The answer is a place on a ring of named things. Its scale is the number of that place. */
export const onRing = (names: ReadonlyArray<string>, name: string): Readout => ({
  ...inNumbers,
  candidates: names,
  read: (totals) => names[((sum(totals) % names.length) + names.length) % names.length] ?? null,
  scale: () => inPlaces(name, (end) => names.indexOf(end))
})

/** A day of the month, for a day of a year without leap day (1 is the first of January). */
export const asDayOfMonth: Readout = {
  ...inNumbers,
  read: (totals) => {
    const date = new Date(Date.UTC(2023, 0, sum(totals)))
    return date.getUTCFullYear() === 2023 ? String(date.getUTCDate()) : null
  }
}
