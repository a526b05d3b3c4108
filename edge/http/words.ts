/** Details of a refusal in a form that logs may contain: fields and buckets as the service names them. */
const WORD_MAX_CHARS = 64
const PART = /^(?:[a-z][a-z_]{0,31}|\d{1,6})$/
const UNSHOWN = "…"

/**
 * A dotted path of names. Clients may choose names of members, so each part that is not a plain word or a short number
 * is replaced. `null` if it is not text, or empty.
 */
export const wordIn = (value: unknown): string | null =>
  typeof value !== "string" || value === ""
    ? null
    : value
        .slice(0, WORD_MAX_CHARS)
        .split(".")
        .map((part) => (PART.test(part) ? part : UNSHOWN))
        .join(".")
