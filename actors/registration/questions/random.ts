/**
 * Deterministic randomness from a 32-byte seed: SHAKE256 of the seed and a counter, block by block.
 *
 * - The same seed always gives the same draws, on every machine.
 * - Every bit of the seed has an effect, and earlier draws do not reveal later ones.
 * - `int` rejects the uneven tail of the 32-bit range, so all values have the same probability.
 */
import { createHash } from "node:crypto"

export const SEED_BYTES = 32
const WORD_RANGE = 0x1_0000_0000
const WORDS_PER_BLOCK = 256

export interface Random {
  /** A whole number from `min` to `max`, both inclusive. */
  readonly int: (min: number, max: number) => number
  readonly pick: <T>(items: ReadonlyArray<T>) => T
  readonly shuffle: <T>(items: ReadonlyArray<T>) => Array<T>
  /** `count` different items in random order. */
  readonly sample: <T>(items: ReadonlyArray<T>, count: number) => Array<T>
}

export function randomFromSeed(seed: Uint8Array): Random {
  if (seed.length !== SEED_BYTES) throw new RangeError(`seed: ${SEED_BYTES} bytes wanted, got ${seed.length}`)
  const word = wordSource(Uint8Array.from(seed))

  const int = (min: number, max: number): number => {
    const span = max - min + 1
    if (!Number.isSafeInteger(span) || span < 1 || span > WORD_RANGE)
      throw new RangeError(`int: empty or too wide range ${min}..${max}`)
    const fair = WORD_RANGE - (WORD_RANGE % span)
    let drawn = word()
    while (drawn >= fair) drawn = word()
    return min + (drawn % span)
  }

  const sample = <T>(items: ReadonlyArray<T>, count: number): Array<T> => {
    if (count > items.length) throw new RangeError(`sample: ${count} of ${items.length}`)
    const pool = [...items]
    for (let i = 0; i < count; i++) {
      const j = int(i, pool.length - 1)
      ;[pool[i], pool[j]] = [pool[j] as T, pool[i] as T]
    }
    return pool.slice(0, count)
  }

  return {
    int,
    pick: <T>(items: ReadonlyArray<T>): T => items[int(0, items.length - 1)] as T,
    shuffle: (items) => sample(items, items.length),
    sample
  }
}

function wordSource(seed: Uint8Array): () => number {
  const counter = Buffer.alloc(4)
  let block = Buffer.alloc(0)
  let used = WORDS_PER_BLOCK
  let blocks = 0
  return () => {
    if (used === WORDS_PER_BLOCK) {
      counter.writeUInt32BE(blocks++)
      block = createHash("shake256", { outputLength: 4 * WORDS_PER_BLOCK })
        .update(seed)
        .update(counter)
        .digest()
      used = 0
    }
    return block.readUInt32BE(4 * used++)
  }
}
