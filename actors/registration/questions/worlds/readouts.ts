/** What a final count is read as: a number, a time, a place in a list. */
import { only } from "../language/closing.ts"
import { clock, clock12 } from "../language/clock.ts"
import type { Readout } from "./accumulate.ts"

const DAY = 24 * 60

const sum = (totals: ReadonlyArray<number>): number => totals.reduce((one, other) => one + other, 0)

export const asNumber: Readout = {
  kind: "number",
  closing: only.number,
  candidates: null,
  read: (totals) => String(sum(totals))
}

/** How much the first is above the second. */
export const asGap: Readout = {
  kind: "number",
  closing: only.number,
  candidates: null,
  read: ([one = 0, other = 0]) => (one > other ? String(one - other) : null)
}

export const asTime: Readout = {
  kind: "time",
  closing: only.time,
  candidates: null,
  read: (totals) => (sum(totals) >= 0 && sum(totals) < DAY ? clock(sum(totals)) : null)
}

export const asTime12: Readout = {
  kind: "time12",
  closing: only.time12,
  candidates: null,
  read: (totals) => (sum(totals) >= 0 && sum(totals) < DAY ? clock12(sum(totals)) : null)
}

/** A place on a ring of named things. */
export const onRing = (names: ReadonlyArray<string>, closing: Readout["closing"]): Readout => ({
  kind: "word",
  closing,
  candidates: names,
  read: (totals) => names[((sum(totals) % names.length) + names.length) % names.length] ?? null
})

/** A day of the month, days counted from the first of January of an ordinary year. */
export const asDayOfMonth: Readout = {
  kind: "number",
  closing: only.number,
  candidates: null,
  read: (totals) => {
    const date = new Date(Date.UTC(2023, 0, sum(totals)))
    return date.getUTCFullYear() === 2023 ? String(date.getUTCDate()) : null
  }
}
