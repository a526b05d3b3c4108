/** Details of a refusal as logs may hold them: fields and buckets as the service names them. */
const WORD_MAX_CHARS = 64
const PART = /^(?:[a-z][a-z_]{0,31}|\d{1,6})$/
const UNSHOWN = "…"

/** A path of names. A client may name members of its own: what is no plain word is cut out. `null` for what is no text. */
export const wordIn = (value: unknown): string | null =>
  typeof value !== "string" || value === ""
    ? null
    : value
        .slice(0, WORD_MAX_CHARS)
        .split(".")
        .map((part) => (PART.test(part) ? part : UNSHOWN))
        .join(".")
