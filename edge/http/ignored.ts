/**
 * Members of a body that nothing was made of. A misspelled name beside known ones would else be dropped silently: the
 * answer names it in `meta.ignored`.
 */
import type { Response } from "./respond.ts"

/** Names that one answer tells, and what is told of each. */
export const IGNORED_NAMES_MAX = 20
const NAME_MAX_CHARS = 64

type Parts = Readonly<Record<string, unknown>>

const isParts = (value: unknown): value is Parts => typeof value === "object" && value !== null

/**
 * Dotted paths of what stands in a body and not in what a schema made of it. Values that it takes as they are hold no
 * such.
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

const cut = (name: string): string =>
  name.length <= NAME_MAX_CHARS ? name : `${name.slice(0, NAME_MAX_CHARS).toWellFormed()}…`

const SUCCESS = '{"ok":true,"data":'

interface Envelope {
  readonly meta?: object
}

/** The answer with the names laid into its envelope's `meta`. */
export const tellIgnored = (names: ReadonlyArray<string>, answer: Response): Response => {
  const { body, headers } = answer
  if (names.length === 0 || typeof body !== "string" || !body.startsWith(SUCCESS)) return answer
  const envelope = JSON.parse(body) as Envelope
  const told = JSON.stringify({ ...envelope, meta: { ...envelope.meta, ignored: names } })
  headers["content-length"] = String(Buffer.byteLength(told))
  return { ...answer, body: told }
}
