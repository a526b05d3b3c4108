/**
 * HalfSipHash-2-4 with 64 bits of output. It is a keyed hash, so without the key nobody can choose texts that collide.
 */

/** The two words of the last hash. Returning them as an object would cost as much as the hash. */
export class HalfSipHash {
  high = 0
  low = 0

  /** Hashes ASCII text into `high` (never zero) and `low`. */
  hash(text: string, k0: number, k1: number): void {
    let [v0, v1, v2, v3] = [k0, k1 ^ 0xee, 0x6c796765 ^ k0, 0x74656462 ^ k1]
    const words = (text.length >> 2) + 1
    for (let step = 0; step < words + 2; step++) {
      const word = step < words ? wordOf(text, step * 4) : 0
      if (step < words) v3 ^= word
      else if (step === words) v2 ^= 0xee
      else {
        this.high = (v1 ^ v3) >>> 0 || 1
        v1 ^= 0xdd
      }
      for (let round = step < words ? 2 : 4; round > 0; round--) {
        v0 = (v0 + v1) | 0
        v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
        v0 = (v0 << 16) | (v0 >>> 16)
        v2 = (v2 + v3) | 0
        v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
        v0 = (v0 + v3) | 0
        v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
        v2 = (v2 + v1) | 0
        v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
        v2 = (v2 << 16) | (v2 >>> 16)
      }
      v0 ^= word
    }
    this.low = (v1 ^ v3) >>> 0
  }
}

/** Four characters as a little-endian word. The last word has the length in its top byte. */
const wordOf = (text: string, at: number): number => {
  const left = text.length - at
  let word = left < 4 ? text.length << 24 : 0
  for (let index = Math.min(left, 4) - 1; index >= 0; index--) word |= text.charCodeAt(at + index) << (index * 8)
  return word
}
