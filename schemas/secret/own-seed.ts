/**
 * Finds the author's own seed (32 bytes, in base64 of either alphabet or hex), alone or followed by the public key, as
 * some libraries store a secret key. A seed looks like a hash, so its public key is derived and compared.
 */
import { decodeBase64 } from "../signing/key.ts"
import { BASE64_OR_URL, stretchesOf } from "./shape.ts"
import { keyPairOfSeed, SEED_BYTES } from "../signing/seed.ts"

/** The most words of a text that are tested, because each takes 0.1 to 0.2 ms. Further words are not tested. */
const SEEDS_TRIED_MAX = 256

const HEX = /^[0-9a-fA-F]+$/

const BASE64_CHARS = 43
const HEX_CHARS = SEED_BYTES * 2
/**
 * The most characters of a word that is tested whole. Longer words are files, not keys, and only their ends are tested.
 */
const WORD_LOOKED_AT = 4_096

/** 32 bytes, or 64 of which the last 32 are the public key. */
const seedOf = (word: string, publicKey: Uint8Array): Uint8Array | null => {
  const bytes = HEX.test(word) ? Buffer.from(word, "hex") : fromBase64(word)
  if (bytes === null) return null
  if (bytes.length === SEED_BYTES) return bytes
  const whole = bytes.length === 2 * SEED_BYTES && bytes.subarray(SEED_BYTES).equals(publicKey)
  return whole ? bytes.subarray(0, SEED_BYTES) : null
}

const fromBase64 = (word: string): Buffer | null => {
  const bytes = decodeBase64(word, word.length === BASE64_CHARS ? SEED_BYTES : 2 * SEED_BYTES)
  return bytes === null ? null : Buffer.from(bytes)
}

/** Lengths of 32 and 64 bytes in base64 without padding, and in hex. */
const LENGTHS: ReadonlySet<number> = new Set([BASE64_CHARS, HEX_CHARS, 2 * BASE64_CHARS, 2 * HEX_CHARS])

/**
 * The texts in a word that may be a seed: the word itself, its end, and its parts. It may be an address or a file name,
 * and a seed may contain the characters that separate their parts.
 */
const readingsOf = (word: string): ReadonlyArray<string> => {
  const ends = [word.slice(-BASE64_CHARS), word.slice(-2 * BASE64_CHARS)]
  return word.length > WORD_LOOKED_AT ? ends : [word, ...ends, ...word.split(/[+/]/), ...word.split(/[_-]/)]
}

export interface SeedTried {
  readonly at: number
  readonly seed: Uint8Array
}

/**
 * Finds words that may be a seed: each once, at most `SEEDS_TRIED_MAX`. Yields `null` about every `stepChars`
 * characters, so that the caller can pause.
 */
export function* seedsIn(text: string, publicKey: Uint8Array, stepChars: number): Generator<SeedTried | null> {
  const tried = new Set<string>()
  let pauseAt = stepChars
  for (const { at, end } of stretchesOf(text, BASE64_OR_URL, BASE64_CHARS)) {
    if (at >= pauseAt) {
      pauseAt = at + stepChars
      yield null
    }
    for (const reading of readingsOf(text.slice(at, end))) {
      if (!LENGTHS.has(reading.length) || tried.has(reading)) continue
      const seed = seedOf(reading, publicKey)
      if (seed === null) continue
      yield { at, seed }
      tried.add(reading)
      if (tried.size === SEEDS_TRIED_MAX) return
    }
  }
}

export const isSeedOf = (seed: Uint8Array, publicKey: Uint8Array): boolean =>
  Buffer.from(keyPairOfSeed(seed).publicKey).equals(publicKey)
