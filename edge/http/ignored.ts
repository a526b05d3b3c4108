/**
 * Finds members of a body and query parameters that no schema uses. Without this, a misspelled name would be dropped
 * silently. The answer names them in `meta.ignored`.
 */
import type { Response } from "./respond.ts"

/** The most names that one answer lists, and the most characters of each. */
const IGNORED_NAMES_MAX = 20
const NAME_MAX_CHARS = 64

type Parts = Readonly<Record<string, unknown>>

const isParts = (value: unknown): value is Parts => typeof value === "object" && value !== null

/**
 * Dotted paths of members that the body has and the decoded value does not. Below a value whose content is free,
 * nothing is reported.
 */
export const ignoredIn = (given: unknown, made: unknown): ReadonlyArray<string> => {
  const found: Array<string> = []
  collect(given, made, "", found)
  return found
}

const collect = (given: unknown, made: unknown, path: string, found: Array<string>): void => {
  if (given === made || !isParts(given) || !isParts(made)) return
  for (const [name, value] of Object.entries(given)) {
    if (found.length === IGNORED_NAMES_MAX) return
    if (Object.hasOwn(made, name)) collect(value, made[name], `${path}${name}.`, found)
    else found.push(cut(path + name))
  }
}

export const ignoredParameters = (given: Parts, taken: unknown): ReadonlyArray<string> => {
  const known = isParts(taken) ? taken : {}
  return Object.keys(given)
    .filter((name) => !Object.hasOwn(known, name))
    .slice(0, IGNORED_NAMES_MAX)
    .map(cut)
}

const cut = (name: string): string =>
  name.length <= NAME_MAX_CHARS ? name : `${name.slice(0, NAME_MAX_CHARS).toWellFormed()}…`

const SUCCESS = '{"ok":true,"data":'
const DATA_END = "}"
const META_END = "}}"

interface Envelope {
  readonly meta?: object
}

/** Adds the names to the `meta` of the answer's envelope. */
export const withIgnored = (names: ReadonlyArray<string>, answer: Response): Response => {
  const { body } = answer
  if (names.length === 0) return answer
  const told = names.slice(0, IGNORED_NAMES_MAX)
  if (answer.envelope !== undefined && body instanceof Uint8Array) {
    // The body may be megabytes, so it is not parsed for this. The `meta` of a list is its last member, and never
    // empty.
    const [end, begin] = answer.envelope === "list" ? [META_END, ","] : [DATA_END, ',"meta":{']
    const whole = body.subarray(0, body.length - end.length)
    return resized(answer, Buffer.concat([whole, Buffer.from(`${begin}"ignored":${JSON.stringify(told)}${META_END}`)]))
  }
  if (typeof body !== "string" || !body.startsWith(SUCCESS)) return answer
  const envelope = JSON.parse(body) as Envelope
  return resized(answer, JSON.stringify({ ...envelope, meta: { ...envelope.meta, ignored: told } }))
}

const resized = (answer: Response, body: string | Uint8Array): Response => {
  answer.headers["content-length"] = String(Buffer.byteLength(body))
  return { ...answer, body }
}
