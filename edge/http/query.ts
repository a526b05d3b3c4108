/**
 * Query strings (spec 4.1.4 and 4.1.5): of a repeated parameter the last one counts, numbers are clamped and never
 * refused, free text is taken as it is.
 */
import type { Limits } from "../../schemas/limits.ts"
import type { Flag } from "../../schemas/envelope.ts"

export interface Page {
  readonly page: number
  readonly per_page: number
}

/** A whole number in the range; what is none takes the default, what is outside is clamped. */
export const clamped = (text: string | undefined, min: number, max: number, fallback: number): number => {
  if (text === undefined || !/^\s*[+-]?\d+\s*$/.test(text)) return fallback
  return Math.min(max, Math.max(min, Number(text)))
}

/** True for a flag that is there and says yes. */
export const isSet = (flag: Flag | undefined): boolean => flag === "1" || flag === "true"

/** `?since_id=`, which its schema has judged: what came behind that id. 0 is everything. */
export const sinceIdOf = (text: string | undefined): number => clamped(text, 0, Number.MAX_SAFE_INTEGER, 0)

/** Beyond this no list reaches, and the product with `per_page` stays an exact integer. */
const PAGE_MAX = 1_000_000_000

export const pageOf = (query: { readonly page?: string; readonly per_page?: string }, limits: Limits): Page => ({
  page: clamped(query.page, 1, PAGE_MAX, 1),
  per_page: clamped(query.per_page, 1, limits.limits.page_size_max, limits.limits.page_size_default)
})

export const pageMeta = (page: Page, total: number) => ({ ...page, total, pages: Math.ceil(total / page.per_page) })
