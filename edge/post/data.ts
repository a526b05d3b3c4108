/**
 * `data` of a body: any JSON, kept as it was written. It is taken out of the body before that is parsed, so that its
 * numbers keep their digits, its size is what was sent, and the bounds on a body's members (json-scan.ts) are not its
 * own: it has bytes of its own, and a depth.
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
  /** The body with something simple in its place. */
  readonly body: Uint8Array
  /** `null` takes it away; `undefined` where nothing is said of it. */
  readonly data: Data | null | undefined
}

export interface Data {
  readonly bytes: Buffer
  /** For whoever looks for secrets. */
  readonly texts: () => Iterable<TextField>
}

const TRUE = Buffer.from("true")
const NULL = Buffer.from("null")

const fault = (message: string, rule: string) => Effect.fail(refuse(invalidField(FIELD, `data ${message}.`, { rule })))

/** `max`: bytes that it may have. */
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

/** As a text, where it is JSON within its bounds. */
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

/** Of more members than a walk may have the text as a whole, with its escapes undone: what stands in it stands there. */
const textsIn = (bytes: Buffer, text: string): Iterable<TextField> => {
  if (scanJson(bytes).beyond === null) return textsOf(FIELD, JSON.parse(text))
  const plain = text.replaceAll(ESCAPE, (_whole, code: string | undefined, mark: string) =>
    code === undefined ? (ESCAPED[mark] ?? mark) : String.fromCharCode(Number.parseInt(code, 16))
  )
  return [{ field: FIELD, text: plain }]
}
