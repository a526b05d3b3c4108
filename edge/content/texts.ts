/** The texts in a body, each with the path of its field. */
import { JSON_DEPTH_MAX, JSON_MEMBERS_MAX } from "../http/json-scan.ts"
import type { TextField } from "../../schemas/secret/secrets.ts"

/** The most bytes of a file that is scanned. Longer files, and files that are not text, are not scanned. */
const FILE_LOOKED_AT_MAX_BYTES = 1_048_576

interface Open {
  readonly field: string
  readonly value: unknown
  readonly depth: number
}

/**
 * Strings of a JSON value and names of its members, in order. A name has the path of its object. The size is bounded as
 * for bodies (edge/http/json-scan.ts). A larger value is a bug, and throws.
 */
export function* textsOf(field: string, value: unknown): Generator<TextField> {
  const open: Array<Open> = [{ field, value, depth: 0 }]
  let members = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { field, value, depth } = next
    if (typeof value === "string") yield { field, text: value }
    if (typeof value !== "object" || value === null) continue
    if (depth === JSON_DEPTH_MAX) throw new RangeError(`A value nests deeper than ${JSON_DEPTH_MAX} levels`)
    const inner = Object.entries(value)
    members += inner.length
    if (members > JSON_MEMBERS_MAX) throw new RangeError(`A value has more than ${JSON_MEMBERS_MAX} members`)
    if (!Array.isArray(value)) for (const [name] of inner) yield { field, text: name }
    for (const [name, part] of inner.toReversed())
      open.push({ field: `${field}.${name}`, value: part, depth: depth + 1 })
  }
}

/** The texts of a body's members, each under its own name. */
export function* textsIn(body: object): Generator<TextField> {
  for (const [name, value] of Object.entries(body)) yield* textsOf(name, value)
}

interface ProfileTexts {
  readonly handle?: string
  readonly name?: string
  readonly description?: string
  readonly transparency?: string
  readonly links?: ReadonlyArray<{ readonly label: string; readonly url: string }>
}

/**
 * The texts of a profile that others can read. A webhook's address is left out: others do not see it, and it may
 * contain a token.
 */
export function* profileTexts(profile: ProfileTexts): Generator<TextField> {
  const { handle, name, description, transparency, links } = profile
  yield* textsOf("handle", handle)
  yield* textsOf("name", name)
  yield* textsOf("description", description)
  yield* textsOf("transparency", transparency)
  for (const [index, { label, url }] of (links ?? []).entries()) {
    yield { field: `links.${index}.label`, text: label }
    yield { field: `links.${index}.url`, text: url }
  }
}

/** A file's text; `null` if it is not scanned: too long, not UTF-8, or with a NUL. */
export const textOfFile = (bytes: Uint8Array): string | null => {
  if (bytes.length > FILE_LOOKED_AT_MAX_BYTES || bytes.includes(0)) return null
  try {
    return utf8.decode(bytes)
  } catch {
    return null
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true })
