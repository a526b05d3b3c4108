/**
 * The `data` member of a post: any JSON, stored exactly as it was written. It is removed from the body before the body
 * is parsed. Its numbers therefore keep their digits, and its size is that of the sent bytes. The bounds on a body's
 * members (edge/http/json-scan.ts) do not apply to it: it has its own bounds of bytes and depth.
 */
import { Effect } from "effect"
import { aboveMax, invalidField } from "../../schemas/errors.ts"
import type { Call } from "../http/call.ts"
import { JSON_DEPTH_MAX, scanJson } from "../http/json-scan.ts"
import { strictUtf8 } from "../http/json.ts"
import { type Member, memberOf } from "../http/json-member.ts"
import { type Refused, refuse } from "../http/refused.ts"
import type { TextField } from "../../schemas/secret/secrets.ts"
import { textsOf } from "../content/texts.ts"

const FIELD = "data"

export interface WithData {
  /** The body with a simple value in the place of the data. */
  readonly body: Uint8Array
  /** `null` removes the post's data. `undefined` if the body has no such member. */
  readonly data: Data | null | undefined
}

export interface Data {
  readonly bytes: Buffer
  /** The texts in the data, to search them for secrets. `null` is a pause between two steps of finding them. */
  readonly texts: () => Iterable<TextField | null>
}

const TRUE = Buffer.from("true")
const NULL = Buffer.from("null")

const fault = (message: string, rule: string) => Effect.fail(refuse(invalidField(FIELD, `data ${message}.`, { rule })))

/** `max` is the most bytes of the data. */
export const dataIn = ({ body }: Pick<Call, "body">, max: number): Effect.Effect<WithData, Refused> => {
  const found = memberOf(body, FIELD)
  if (found === null) return Effect.succeed({ body, data: undefined })
  const bytes = body.subarray(found.from, found.to)
  const rest = Buffer.concat([body.subarray(0, found.from), bytes.equals(NULL) ? NULL : TRUE, body.subarray(found.to)])
  if (bytes.equals(NULL)) return Effect.succeed({ body: rest, data: null })
  return Effect.map(judged(found, bytes, max), (text) => ({
    body: rest,
    data: { bytes, texts: () => textsIn(bytes, text) }
  }))
}

/** The data as text, if it is JSON within its bounds. */
const judged = ({ depth }: Member, bytes: Buffer, max: number): Effect.Effect<string, Refused> => {
  if (bytes.length > max) return Effect.fail(refuse(aboveMax(FIELD, `data must be at most ${max} bytes of JSON.`, max)))
  if (depth > JSON_DEPTH_MAX) return fault(`must not nest deeper than ${JSON_DEPTH_MAX} levels`, "depth")
  try {
    const text = strictUtf8.decode(bytes)
    JSON.parse(text)
    return Effect.succeed(text)
  } catch {
    return fault("is not valid JSON in UTF-8", "json")
  }
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/gs
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" }

/** The most characters whose escapes are undone in one step. If all are escapes, it takes a few milliseconds. */
export const ESCAPED_STEP_CHARS = 8_192
/** The lengths of the two kinds of escapes: `\n` and `\u000a`. */
const SHORT_ESCAPE = 2
const LONG_ESCAPE = 6

/** Data with too many members for a walk is searched as one text, with its escapes undone in steps. */
function* textsIn(bytes: Buffer, text: string): Generator<TextField | null> {
  if (scanJson(bytes).beyond === null) return yield* textsOf(FIELD, JSON.parse(text))
  let plain = ""
  for (let from = 0; from < text.length;) {
    if (from > 0) yield null
    const to = wholeEscapesTo(text, from, Math.min(text.length, from + ESCAPED_STEP_CHARS))
    plain += text
      .slice(from, to)
      .replaceAll(ESCAPE, (_whole, code: string | undefined, mark: string) =>
        code === undefined ? (ESCAPED[mark] ?? mark) : String.fromCharCode(Number.parseInt(code, 16))
      )
    from = to
  }
  yield { field: FIELD, text: plain }
}

/** Moves the end of a step before an escape that it would divide. No escape crosses `from`. */
const wholeEscapesTo = (text: string, from: number, to: number): number => {
  const last = text.lastIndexOf("\\", to - 1)
  if (last < from || last + LONG_ESCAPE <= to) return to
  let before = last
  while (before > from && text[before - 1] === "\\") before--
  // Backslashes in a row are pairs. The last one begins an escape only if it has no partner.
  if ((last - before) % 2 === 1) return to
  return last + (text[last + 1] === "u" ? LONG_ESCAPE : SHORT_ESCAPE) > to ? last : to
}
