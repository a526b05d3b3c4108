/**
 * Readable addresses of pages: `/threads/12-how-to-sign` (contract 19). The number finds the record. The words after it
 * are for people, and change with the title.
 */

import { normalForm } from "../legible.ts"

/** The most characters after the number, including hyphens. */
export const SLUG_MAX_CHARS = 60

/** Matches characters to be replaced by a hyphen. Accents and compatibility forms are removed before. */
const NOT_WORD = /[^a-z0-9]+/

/** The words of a title in `a-z0-9`, joined by single hyphens. Empty if the title has none of the letters a to z. */
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

/** The number at the beginning of a path segment, with or without words after it; `null` if there is none. */
export const numberIn = (text: string): string | null => /^([1-9]\d{0,14})(?:-|$)/.exec(text)?.[1] ?? null
