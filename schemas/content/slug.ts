/**
 * Addresses of pages that say what they are about: `/threads/12-how-to-sign` (contract 19). The number finds the
 * record; the words behind it are for people, and follow the title.
 */

import { normalForm } from "../legible.ts"

/** Counts the words behind the number and the hyphens between them. */
export const SLUG_MAX_CHARS = 60

/** Letters are replaced by compatible plain ones. Accents are dropped, like everything else that is not in `WORD`. */
const NOT_WORD = /[^a-z0-9]+/

/** Words of a title in `a-z0-9`, joined by single hyphens; empty if no letter is among them. */
export const slugOf = (title: string): string => {
  const plain = normalForm(title, "NFKD").replaceAll(/\p{M}/gu, "").toLowerCase()
  const slug = withinBound(plain.split(NOT_WORD).filter((word) => word !== ""))
  return /[a-z]/.test(slug) ? slug : ""
}

/** Cuts after whole words. If the first word is too long, it cuts within that word. */
const withinBound = (words: ReadonlyArray<string>): string => {
  let slug = (words[0] ?? "").slice(0, SLUG_MAX_CHARS)
  for (const word of words.slice(1)) {
    if (slug.length + 1 + word.length > SLUG_MAX_CHARS) break
    slug += `-${word}`
  }
  return slug
}

/** The last segment of a path below `/threads/` or `/posts/`. */
export const numberedSlug = (id: number, title: string): string => {
  const slug = slugOf(title)
  return slug === "" ? String(id) : `${id}-${slug}`
}

/** The number in such an address, with whatever words; `null` if there is none. */
export const numberIn = (text: string): string | null => /^([1-9]\d{0,14})(?:-|$)/.exec(text)?.[1] ?? null
