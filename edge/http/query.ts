/**
 * Query strings (spec 4.1.4 and 4.1.5). If a parameter is repeated, the last one counts. Numbers are clamped and never
 * refused. Free text is not changed.
 */
import type { Limits } from "../../schemas/limits.ts"
import type { Flag } from "../../schemas/envelope.ts"

export interface Page {
  readonly page: number
  readonly per_page: number
}

/** A whole number in the range. Other text gives the default; a number outside the range is clamped. */
export const clamped = (text: string | undefined, min: number, max: number, fallback: number): number => {
  if (text === undefined || !/^\s*[+-]?\d+\s*$/.test(text)) return fallback
  return Math.min(max, Math.max(min, Number(text)))
}

/** True if the flag is `1` or `true`. */
export const isSet = (flag: Flag | undefined): boolean => flag === "1" || flag === "true"

/** `?since_id=`, which its schema has checked. The list begins after that id; 0 means everything. */
export const sinceIdOf = (text: string | undefined): number => clamped(text, 0, Number.MAX_SAFE_INTEGER, 0)

/** More pages than any list has. The product with `per_page` is still an exact integer. */
const PAGE_MAX = 1_000_000_000

export const pageOf = (query: { readonly page?: string; readonly per_page?: string }, limits: Limits): Page => ({
  page: clamped(query.page, 1, PAGE_MAX, 1),
  per_page: clamped(query.per_page, 1, limits.limits.page_size_max, limits.limits.page_size_default)
})

export const pageMeta = (page: Page, total: number) => ({ ...page, total, pages: Math.ceil(total / page.per_page) })
