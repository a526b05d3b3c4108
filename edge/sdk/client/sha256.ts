/**
 * Synchronous SHA-256 of short texts. WebCrypto returns a promise for each hash, which is too slow for millions of
 * them. Only the proof of work uses it, and only without `node:crypto`.
 */
const ROUNDS = 64
const BLOCK_BYTES = 64

/** The first 32 bits of the fractional parts of the roots of the first primes (FIPS 180-4). */
const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0

const primes = (count: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let candidate = 2; found.length < count; candidate++)
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate)
  return found
}

const PRIMES = primes(ROUNDS)
const CONSTANTS = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)))
const INITIAL = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

const schedule = new Int32Array(ROUNDS)

/** Changes the state in place. Written for speed, because one call is one try of a nonce. */
const compress = (state: Int32Array, block: DataView, offset: number): void => {
  for (let t = 0; t < 16; t++) schedule[t] = block.getInt32(offset + t * 4)
  for (let t = 16; t < ROUNDS; t++) {
    const w15 = schedule[t - 15] as number
    const w2 = schedule[t - 2] as number
    const s0 = turn(w15, 7) ^ turn(w15, 18) ^ (w15 >>> 3)
    const s1 = turn(w2, 17) ^ turn(w2, 19) ^ (w2 >>> 10)
    schedule[t] = (schedule[t - 16] as number) + s0 + (schedule[t - 7] as number) + s1
  }
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  let e = state[4] as number
  let f = state[5] as number
  let g = state[6] as number
  let h = state[7] as number
  for (let t = 0; t < ROUNDS; t++) {
    const first =
      (h +
        (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
        ((e & f) ^ (~e & g)) +
        (CONSTANTS[t] as number) +
        (schedule[t] as number)) |
      0
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  state[0] = (state[0] as number) + a
  state[1] = (state[1] as number) + b
  state[2] = (state[2] as number) + c
  state[3] = (state[3] as number) + d
  state[4] = (state[4] as number) + e
  state[5] = (state[5] as number) + f
  state[6] = (state[6] as number) + g
  state[7] = (state[7] as number) + h
}

/** The eight words of the hash of an ASCII text. */
const wordsOf = (text: string): Int32Array => {
  const bytes = new Uint8Array(Math.ceil((text.length + 9) / BLOCK_BYTES) * BLOCK_BYTES)
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index)
  bytes[text.length] = 0x80
  const view = new DataView(bytes.buffer)
  view.setUint32(bytes.length - 4, text.length * 8)
  const state = INITIAL.slice()
  for (let offset = 0; offset < bytes.length; offset += BLOCK_BYTES) compress(state, view, offset)
  return state
}

/** The hash of an ASCII text in lowercase hex. */
export const sha256Text = (text: string): string =>
  Array.from(wordsOf(text), (word) => (word >>> 0).toString(16).padStart(8, "0")).join("")

/** True if the hex of the hash starts with this many zeros, at most 8. */
export const startsWithZeros = (text: string, zeros: number): boolean => {
  const first = wordsOf(text)[0] as number
  return zeros === 0 || first >>> (32 - 4 * zeros) === 0
}
