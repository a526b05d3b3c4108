/**
 * A grammar of templates read backwards: "{slot:Kind}" stands for anything that another rule reads.
 * All templates of one kind share their beginnings in a tree, and what is read at a place is read once.
 */
import type { Random } from "../../../actors/registration/questions/random.ts"
import { type Lattice, plain, tokens, Vocabulary } from "./lattice.ts"

export type Slots = Readonly<Record<string, unknown>>
type Build = (slots: Slots) => unknown

export interface Read {
  readonly to: number
  readonly value: unknown
  readonly cost: number
}

interface Node {
  readonly words: Map<string, Node>
  readonly kinds: Map<string, { readonly slot: string; readonly kind: string; readonly node: Node }>
  readonly ends: Array<Build>
}
const node = (): Node => ({ words: new Map(), kinds: new Map(), ends: [] })

const MOST_READINGS = 40
/** Stands for up to so many words that no rule reads; the value is those words. */
const GAP = "gap"
const GAP_WORDS = 9
const GAP_COST = 1.5

export class Grammar {
  readonly #rules = new Map<string, Node>()
  readonly vocabulary = new Vocabulary()

  add(kind: string, template: string, build: Build): void {
    let at = this.#rules.get(kind) ?? node()
    this.#rules.set(kind, at)
    for (const part of template.split(/(\{\w+:\w+\})/)) {
      const [, slot, inner] = /^\{(\w+):(\w+)\}$/.exec(part) ?? []
      if (slot !== undefined && inner !== undefined) {
        const next = at.kinds.get(part) ?? { slot, kind: inner, node: node() }
        at.kinds.set(part, next)
        at = next.node
        continue
      }
      for (const word of tokens(plain(part))) {
        this.vocabulary.add(word)
        const next = at.words.get(word) ?? node()
        at.words.set(word, next)
        at = next
      }
    }
    at.ends.push(build)
  }

  /** Reads one text: the answer tells what of a kind begins at a place. */
  reader(lattice: Lattice, words: ReadonlyArray<string> = []): (kind: string, at: number) => ReadonlyArray<Read> {
    const known = new Map<string, ReadonlyArray<Read>>()
    const read = (kind: string, at: number): ReadonlyArray<Read> => {
      const key = `${kind} ${at}`
      const before = known.get(key)
      if (before !== undefined) return before
      if (kind === GAP) {
        const skipped = Array.from({ length: Math.min(GAP_WORDS, words.length - at) + 1 }, (_, count) => count)
        return skipped.map((count) => ({
          to: at + count,
          value: words.slice(at, at + count).join(" "),
          cost: GAP_COST + count / 2
        }))
      }
      const found: Array<Read> = []
      const rule = this.#rules.get(kind)
      if (rule !== undefined) walk(rule, at, {}, 0, found)
      const best = new Map<string, Read>()
      for (const one of found) {
        const same = `${one.to} ${JSON.stringify(one.value)}`
        if ((best.get(same)?.cost ?? Infinity) > one.cost) best.set(same, one)
      }
      const kept = [...best.values()]
        .toSorted((one, other) => one.cost - other.cost || other.to - one.to)
        .slice(0, MOST_READINGS)
      known.set(key, kept)
      return kept
    }
    const walk = (from: Node, at: number, slots: Slots, cost: number, found: Array<Read>): void => {
      for (const build of from.ends) {
        const value = build(slots)
        if (value !== null) found.push({ to: at, value, cost })
      }
      if (from.words.size > 0) {
        for (const edge of lattice[at] ?? []) {
          const next = from.words.get(edge.word)
          if (next !== undefined) walk(next, edge.to, slots, cost + edge.cost, found)
        }
      }
      for (const { slot, kind, node: next } of from.kinds.values()) {
        for (const one of read(kind, at)) walk(next, one.to, { ...slots, [slot]: one.value }, cost + one.cost, found)
      }
    }
    return read
  }
}

/** Everything that a telling function may say: each of its draws is made in every way. */
export const everything = <T>(say: (random: Random) => T): ReadonlyArray<T> => {
  const said: Array<T> = []
  let script: Array<number> = []
  for (;;) {
    const spans: Array<number> = []
    const int = (min: number, max: number): number => {
      spans.push(max - min + 1)
      return min + (script[spans.length - 1] ?? 0)
    }
    const sample = <U>(items: ReadonlyArray<U>, count: number): Array<U> => [...items].slice(0, count)
    const pick = <U>(items: ReadonlyArray<U>): U => items[int(0, items.length - 1)] as U
    const shuffle = <U>(items: ReadonlyArray<U>): Array<U> => (int(0, 1) === 0 ? [...items] : items.toReversed())
    said.push(say({ int, pick, shuffle, sample }))
    const next = spans.map((_, index) => script[index] ?? 0)
    let last = next.length - 1
    while (last >= 0 && (next[last] ?? 0) + 1 >= (spans[last] ?? 0)) last--
    if (last < 0) return said
    script = [...next.slice(0, last), (next[last] ?? 0) + 1]
  }
}
