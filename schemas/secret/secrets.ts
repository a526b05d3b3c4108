/**
 * Refuses texts that contain a secret (422 `content_secret`) before they are stored. It protects against mistakes, not
 * against an agent that wants to publish something.
 *
 * Invariants
 *  - The work is proportional to the text, whatever its content (shape.ts). `searched` pauses after at most
 *    `STEP_CHARS` characters, so that its caller can let other work run.
 *  - No answer contains any part of a secret, not even in the path of its field.
 */
import { type Refusal, refusal } from "../errors.ts"
import { isSeedOf, seedsIn } from "./own-seed.ts"
import { isPrivateKeyAt } from "./pem.ts"
import { isPlaceholder } from "./placeholder.ts"
import { isAlphanumeric, matchAt, type Shape } from "./shape.ts"
import { TOKEN_SHAPES, type TokenKind, type TokenShape } from "./tokens.ts"
import { isPasswordAt } from "./url-password.ts"

type SecretKind = TokenKind | "url_password" | "own_seed"

export interface TextField {
  /** Dotted path, as in other refusals. */
  readonly field: string
  readonly text: string
}

export interface SecretFound {
  readonly field: string
  readonly kind: SecretKind
}

export interface Author {
  /** The public key as bytes or in base64. */
  readonly publicKey: Uint8Array | string
}

/**
 * The most characters that are searched, and seeds that are tried, without a pause. Either takes two milliseconds at
 * most.
 */
export const STEP_CHARS = 32_768
const STEP_SEEDS = 8

const FIELD_MAX_CHARS = 200
const COLON = 58
const LETTER_B = 66

const ASCII = 128
const NONE: ReadonlyArray<TokenShape> = []

/** Shapes by their first two characters. */
const BY_BEGIN: ReadonlyArray<ReadonlyArray<TokenShape>> = Array.from({ length: ASCII }, (_, first) => {
  const alike = TOKEN_SHAPES.filter(({ shape }) => shape.begins[0]?.[first] === 1)
  return Array.from({ length: ASCII }, (_, second) => {
    const found = alike.filter(({ shape }) => shape.begins[1]?.[second] === 1)
    return found.length === 0 ? NONE : found
  })
}).flat()

const begins = (text: string, at: number, { begins }: Shape): boolean =>
  begins[2]?.[text.charCodeAt(at + 2)] === 1 && begins[3]?.[text.charCodeAt(at + 3)] === 1

const kindAt = (text: string, at: number, code: number): SecretKind | null => {
  const second = text.charCodeAt(at + 1)
  if (!(second < ASCII)) return null
  const shapes = BY_BEGIN[code * ASCII + second] ?? NONE
  for (let index = 0; index < shapes.length; index++) {
    const one = shapes[index]
    if (one === undefined || !begins(text, at, one.shape)) continue
    const matched = matchAt(text, at, one.shape)
    if (matched !== null && !isPlaceholder(matched)) return one.kind
  }
  return code === LETTER_B && isPrivateKeyAt(text, at) ? "private_key" : null
}

interface Hit {
  readonly at: number
  readonly kind: SecretKind
}

/** The first secret that begins between two places of a text. It may end after the second place. */
const firstBetween = (text: string, from: number, to: number): Hit | null => {
  let inWord = from > 0 && isAlphanumeric(text.charCodeAt(from - 1))
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if (!isAlphanumeric(code)) {
      inWord = false
      if (code === COLON && isPasswordAt(text, at)) return { at, kind: "url_password" }
    } else if (!inWord) {
      inWord = true
      const kind = kindAt(text, at, code)
      if (kind !== null) return { at, kind }
    }
  }
  return null
}

function* hitIn(text: string, publicKey: Uint8Array): Generator<void, Hit | null> {
  for (let from = 0; from < text.length; from += STEP_CHARS) {
    if (from > 0) yield
    const hit = firstBetween(text, from, Math.min(text.length, from + STEP_CHARS))
    if (hit !== null) return hit
  }
  let tried = 0
  for (const word of seedsIn(text, publicKey, STEP_CHARS)) {
    if (word === null || ++tried % STEP_SEEDS === 0) yield
    if (word !== null && isSeedOf(word.seed, publicKey)) return { at: word.at, kind: "own_seed" }
  }
  return null
}

/** Serializers of markdown and JSON put a backslash before marks that occur in tokens. */
function* unescaped(text: string): Generator<void, string> {
  if (!text.includes("\\")) return text
  let plain = ""
  for (let from = 0; from < text.length;) {
    if (from > 0) yield
    let to = Math.min(text.length, from + STEP_CHARS)
    // A backslash stays together with the character after it.
    if (to < text.length && text[to - 1] === "\\") to--
    plain += text.slice(from, to).replaceAll(/\\([_*~.:+=/-])/g, "$1")
    from = to
  }
  return plain
}

/** Separates texts that are searched as one, because each search has a fixed cost. No secret contains the separator. */
const BETWEEN = "\0"

/** Searches in steps, between which other work can run. A field of `null` is a pause of the iterable. */
export function* searched(fields: Iterable<TextField | null>, author: Author): Generator<void, SecretFound | null> {
  const { publicKey } = author
  const key = typeof publicKey === "string" ? Buffer.from(publicKey, "base64") : publicKey
  const texts: Array<string> = []
  const ends: Array<{ readonly field: string; readonly end: number }> = []
  let length = 0
  for (const one of fields) {
    if (one === null) {
      yield
      continue
    }
    const { field, text } = one
    const plain = yield* unescaped(text)
    texts.push(plain)
    length += plain.length + BETWEEN.length
    ends.push({ field, end: length })
  }
  const hit = yield* hitIn(texts.join(BETWEEN), key)
  const field = hit === null ? undefined : ends.find(({ end }) => hit.at < end)?.field
  if (hit === null || field === undefined) return null
  return { field: (yield* isTellable(field, key)) ? field : (field.split(".", 1)[0] ?? ""), kind: hit.kind }
}

/**
 * True if an answer may contain this field path. A path can contain names that the agent chose, and such a name may be
 * a secret.
 */
function* isTellable(field: string, publicKey: Uint8Array): Generator<void, boolean> {
  return field.length <= FIELD_MAX_CHARS && (yield* hitIn(yield* unescaped(field), publicKey)) === null
}

/** The first secret in an author's texts. It does not pause, so long texts are searched by `searched`. */
export const secretIn = (fields: Iterable<TextField | null>, author: Author): SecretFound | null => {
  const steps = searched(fields, author)
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

export const secretRefusal = ({ field, kind }: SecretFound): Refusal =>
  refusal(
    "content_secret",
    `${field} holds what looks like a secret (${kind}). Take it out; where it is real and was sent elsewhere, make it void.`,
    { field, kind }
  )
