/** All agents, found by their numbers. */
import { PUBLIC_KEY_BYTES } from "../../../schemas/signing/ed25519.ts"
import { agentNumber } from "../../../schemas/signing/identity.ts"
import { latin } from "./bytes.ts"
import { type Columns, columnsFor, keyAt, URL_NONE, URL_PREFIXED } from "./columns.ts"
import { type Identity, MODERATIONS, NO_KEYS, STATUSES } from "./identity.ts"
import type { AgentFields } from "./verdict.ts"

const NONE_CHANGED: ReadonlyMap<number, Identity> = new Map()

export class Directory {
  readonly maxNumber: number
  readonly generatedAt: number
  readonly count: number
  private readonly columns: Columns
  /** The number of agents in the columns. */
  private readonly rows: number
  /** Entries that replace those in the columns, or add to them. */
  private readonly changed: ReadonlyMap<number, Identity>

  private constructor(
    columns: Columns,
    rows: number,
    changed: ReadonlyMap<number, Identity>,
    told: Pick<Directory, "count" | "maxNumber" | "generatedAt">
  ) {
    this.columns = columns
    this.rows = rows
    this.changed = changed
    this.count = told.count
    this.maxNumber = told.maxNumber
    this.generatedAt = told.generatedAt
  }

  static of(columns: Columns, count: number, maxNumber: number, generatedAt: number): Directory {
    return new Directory(columns, count, NONE_CHANGED, { count, maxNumber, generatedAt })
  }

  /** The number of agents whose entry differs from the columns. */
  get changedCount(): number {
    return this.changed.size
  }

  /** A copy with the entries of `newer` in place of its own. It keeps no reference to `newer`. */
  with(newer: Directory): Directory {
    const changed = new Map(this.changed)
    let { count } = this
    for (let at = 0; at < newer.rows; at++) {
      const number = newer.columns.numbers[at] as number
      if (!changed.has(number) && this.rowOf(number) === -1) count++
      const { fields, key, retiredKeys } = newer.identityAt(at)
      const retired = retiredKeys().map((one) => one.slice())
      changed.set(number, { fields, key: key?.slice() ?? null, retiredKeys: () => retired })
    }
    const { generatedAt } = newer
    return new Directory(this.columns, this.rows, changed, { count, maxNumber: newer.maxNumber, generatedAt })
  }

  /** Empty columns with room for as many agents and a few more. */
  columnsOfSize(): Columns {
    const { retired, texts } = this.columns
    const more = (size: number): number => Math.ceil(size * 1.05)
    return columnsFor(more(this.count) + 16, more(retired.length / PUBLIC_KEY_BYTES), more(texts.length) + 1024)
  }

  find(number: number): Identity | null {
    const changed = this.changed.get(number)
    if (changed !== undefined) return changed
    const at = this.rowOf(number)
    return at === -1 ? null : this.identityAt(at)
  }

  /** The row of an agent; -1 if there is none. */
  private rowOf(number: number): number {
    const { numbers, order } = this.columns
    let low = 0
    let high = this.rows - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      const at = order === null ? middle : (order[middle] as number)
      const found = numbers[at] as number
      if (found === number) return at
      if (found < number) low = middle + 1
      else high = middle - 1
    }
    return -1
  }

  private identityAt(at: number): Identity {
    const { numbers, states, scores, keys, retired, retiredFrom } = this.columns
    const state = states[at] as number
    const status = STATUSES[state & 3] as AgentFields["status"]
    const [handle, profileUrl, idUrl] = this.textsAt(at, agentNumber(numbers[at] as number))
    const fields: AgentFields = {
      handle,
      name: null,
      trust: scores[at * 2] as number,
      reputation: scores[at * 2 + 1] as number,
      status,
      moderation: MODERATIONS[(state >> 2) & 3] as AgentFields["moderation"],
      profile_url: profileUrl,
      id_url: idUrl
    }
    if (status === "retired") return { fields, key: null, retiredKeys: NO_KEYS }
    const from = retiredFrom[at] as number
    return {
      fields,
      key: keyAt(keys, at),
      retiredKeys:
        state < 16 ? NO_KEYS : () => Array.from({ length: state >> 4 }, (_, index) => keyAt(retired, from + index))
    }
  }

  private textsAt(slot: number, number: string): [string, string | null, string | null] {
    const { texts, textFrom, prefixes } = this.columns
    let at = textFrom[slot] as number
    const take = (length: number): string => latin(texts, at, (at += length))
    const handle = take(texts[at++] as number)
    const url = (ending: string): string | null => {
      const form = texts[at++]
      if (form === URL_NONE) return null
      if (form === URL_PREFIXED) return `${prefixes[texts[at++] as number]}${ending}`
      const length = ((texts[at] as number) << 8) | (texts[at + 1] as number)
      at += 2
      return take(length)
    }
    return [handle, url(handle), url(number)]
  }
}
