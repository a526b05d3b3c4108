/**
 * Chooses the texts of a deployment that are in use on a day, so that knowledge learned by a program goes out of date.
 *
 * - Lists of the deployment's own clauses, remarks and facts rotate if they have at least `TURNS_FROM` items. In each
 *   cycle of `CYCLE_DAYS` days, a text is in use for `IN_USE_DAYS` consecutive days. So each day removes a few texts
 *   and adds about as many. Facts rotate only if the public ones of their kind are not used.
 * - All nodes use the same texts, because the order depends on the texts alone.
 * - Public texts do not rotate.
 */
import { createHash } from "node:crypto"
import type { Bank, Matrix } from "./bank.ts"

const DAY_MS = 86_400_000
export const CYCLE_DAYS = 30
export const IN_USE_DAYS = 16
const TURNS_FROM = 12

export const dayOf = (at: number): number => Math.floor(at / DAY_MS)

/** Puts a list into an order that does not depend on how it was written. */
const mixed = <T>(items: ReadonlyArray<T>, name: (item: T) => string): ReadonlyArray<T> =>
  items
    .map((item) => ({ item, by: createHash("sha256").update(name(item)).digest("hex") }))
    .toSorted((one, other) => (one.by < other.by ? -1 : 1))
    .map(({ item }) => item)

/** The items in use on `day`, a number of days since any fixed one. */
export function inUse<T>(items: ReadonlyArray<T>, day: number, name: (item: T) => string): ReadonlyArray<T> {
  const { length } = items
  if (length < TURNS_FROM) return items
  const from = Math.floor((day * length) / CYCLE_DAYS)
  const to = Math.floor(((day + IN_USE_DAYS) * length) / CYCLE_DAYS)
  const order = mixed(items, name)
  return Array.from({ length: to - from }, (_, index) => order[(from + index) % length] as T)
}

const turned = <K>(lists: ReadonlyMap<K, ReadonlyArray<string>>, day: number): ReadonlyMap<K, ReadonlyArray<string>> =>
  new Map([...lists].map(([key, texts]) => [key, inUse(texts, day, (text) => text)]))

const matrixOn = (matrix: Matrix, day: number): Matrix => ({
  ...matrix,
  items: inUse(matrix.items, day, (item) => item)
})

export function bankOn(bank: Bank, day: number): Bank {
  const { clauses, remarks } = bank.wording
  return {
    ...bank,
    wording: { ...bank.wording, clauses: turned(clauses, day), remarks: turned(remarks, day) },
    matrices: bank.own.has("matrices") ? bank.matrices.map((matrix) => matrixOn(matrix, day)) : bank.matrices,
    relations: bank.own.has("relations") ? inUse(bank.relations, day, ({ name }) => name) : bank.relations,
    measures: bank.own.has("measures") ? inUse(bank.measures, day, ({ phrase }) => phrase) : bank.measures
  }
}
