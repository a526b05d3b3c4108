import fc from "fast-check"
import { createHash } from "node:crypto"
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import { drafted } from "../../../actors/registration/questions/family.ts"
import type { Drafted, Family } from "../../../actors/registration/questions/family.ts"
import { randomFromSeed, SEED_BYTES } from "../../../actors/registration/questions/random.ts"
import type { Random } from "../../../actors/registration/questions/random.ts"

export const seeds = fc.uint8Array({ minLength: SEED_BYTES, maxLength: SEED_BYTES })

/** The same randomness for the same label, so that a failure can be repeated. */
export function labelled(label: string): Random {
  return randomFromSeed(createHash("sha256").update(label).digest())
}

export const draftsOf = (family: Family, count: number): ReadonlyArray<Drafted> =>
  Array.from({ length: count }, (_, i) => drafted(family, labelled(`${family.name} ${i}`), OUR_BANK))

/** Where the words occur as whole words, in order of appearance. */
export function mentions(text: string, words: ReadonlyArray<string>): Array<string> {
  const choice = words.toSorted((a, b) => b.length - a.length).join("|")
  return [...text.matchAll(new RegExp(`(?<![\\p{L}-])(?:${choice})(?![\\p{L}-])`, "gu"))].map(([word]) => word)
}

export const mostFrequent = (values: Iterable<unknown>): number => {
  const counts = new Map<unknown, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return Math.max(0, ...counts.values())
}
