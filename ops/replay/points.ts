/** Moments of a history as they are typed: `14`, `#14`, `2026-11-21T12:01:30Z`, Unix seconds, Unix milliseconds. */
import type { Point } from "./fold.ts"

/** Plain numbers from here on are times: Unix seconds of this century, then milliseconds. */
const SECONDS_FROM = 1_000_000_000
const MILLISECONDS_FROM = 1_000_000_000_000

const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/

/** `null` if the text is no point. */
export const pointOf = (text: string): Point | null => {
  if (/^#\d{1,15}$/.test(text)) return { seq: Number(text.slice(1)) }
  if (/^\d{1,15}$/.test(text)) {
    const number = Number(text)
    if (number >= MILLISECONDS_FROM) return { time: number }
    return number >= SECONDS_FROM ? { time: number * 1000 } : { seq: number }
  }
  const time = Date.parse(text)
  return ISO_8601.test(text) && !Number.isNaN(time) ? { time } : null
}

export const POINT_FORMS = "a sequence (14 or #14), a time in ISO 8601 with its zone, or Unix seconds"

export const pointText = (point: Point): string =>
  "seq" in point ? `#${point.seq}` : new Date(point.time).toISOString()
