/**
 * The id of a request, as in `X-Request-Id`: a UUID of version 7 (RFC 9562). It begins with its time, so that a search
 * for the request knows where in the log to look.
 */

const TIME_HEX_CHARS = 12
const FIRST_CHARS = 8
/** Position of the random part in a UUID, after its version. */
const RANDOM_AT = 15

/** `at`: Unix ms. */
export const newRequestId = (at: number): string => {
  const time = at.toString(16).padStart(TIME_HEX_CHARS, "0")
  return `${time.slice(0, FIRST_CHARS)}-${time.slice(FIRST_CHARS)}-7${crypto.randomUUID().slice(RANDOM_AT)}`
}

const TIMED = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Unix ms; `null` for an id of another form, such as those of earlier releases. */
export const timeOfRequest = (id: string): number | null => {
  const [, first, second] = TIMED.exec(id) ?? []
  return first === undefined || second === undefined ? null : Number.parseInt(first + second, 16)
}
