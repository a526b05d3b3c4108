/** Fills the columns agent by agent, and then sorts them. */
import { PUBLIC_KEY_BYTES } from "../../../schemas/signing/ed25519.ts"
import type { AgentEntry, RetiredKey } from "./agent-entry.ts"
import { indexOfName, latin, sameUpTo } from "./bytes.ts"
import { type Columns, grown, URL_NONE, URL_PREFIXED, URL_WHOLE } from "./columns.ts"
import { malformed } from "./malformed.ts"

const PREFIXES_MAX = 32

export class ColumnsWriter {
  count = 0
  readonly columns: Columns
  private readonly prefixBytes: Array<Uint8Array> = []
  private retiredCount = 0
  private textLength = 0
  private ascending = true

  constructor(columns: Columns) {
    this.columns = columns
  }

  add(agent: AgentEntry): void {
    this.makeRoom(agent.retiredKept)
    const { columns, count } = this
    if (count > 0 && (columns.numbers[count - 1] as number) >= agent.number) this.ascending = false
    columns.numbers[count] = agent.number
    columns.states[count] = agent.status | (agent.moderation << 2) | (agent.retiredKept << 4)
    columns.scores[count * 2] = agent.trust
    columns.scores[count * 2 + 1] = agent.reputation
    if (agent.hasKey) columns.keys.set(agent.key, count * PUBLIC_KEY_BYTES)
    columns.retiredFrom[count] = this.retiredCount
    for (let index = 0; index < agent.retiredKept; index++) {
      columns.retired.set((agent.retiredKeys[index] as RetiredKey).bytes, this.retiredCount++ * PUBLIC_KEY_BYTES)
    }
    this.keepTexts(agent)
    this.count++
  }

  putInOrder(): void {
    if (!this.ascending) this.sort()
    for (let rank = 1; rank < this.count; rank++)
      if (this.numberAt(rank - 1) === this.numberAt(rank)) throw malformed("a number comes twice")
  }

  /** The highest number. The columns must be sorted. */
  highest(): number {
    return this.count === 0 ? 0 : this.numberAt(this.count - 1)
  }

  /** Frees the unused part of the arrays, if that is worth a copy. */
  trim(): void {
    const { columns, count } = this
    if (count > columns.numbers.length * 0.9) return
    columns.numbers = columns.numbers.slice(0, count)
    columns.states = columns.states.slice(0, count)
    columns.scores = columns.scores.slice(0, count * 2)
    columns.keys = columns.keys.slice(0, count * PUBLIC_KEY_BYTES)
    columns.retired = columns.retired.slice(0, this.retiredCount * PUBLIC_KEY_BYTES)
    columns.retiredFrom = columns.retiredFrom.slice(0, count)
    columns.texts = columns.texts.slice(0, this.textLength)
    columns.textFrom = columns.textFrom.slice(0, count)
  }

  private makeRoom(retiredKeys: number): void {
    const { columns, count } = this
    columns.numbers = grown(columns.numbers, count + 1)
    columns.states = grown(columns.states, count + 1)
    columns.scores = grown(columns.scores, count * 2 + 2)
    columns.keys = grown(columns.keys, (count + 1) * PUBLIC_KEY_BYTES)
    columns.retiredFrom = grown(columns.retiredFrom, count + 1)
    columns.textFrom = grown(columns.textFrom, count + 1)
    columns.retired = grown(columns.retired, (this.retiredCount + retiredKeys) * PUBLIC_KEY_BYTES)
  }

  private numberAt(rank: number): number {
    const { numbers, order } = this.columns
    return numbers[order === null ? rank : (order[rank] as number)] as number
  }

  private sort(): void {
    const { numbers } = this.columns
    const order = new Uint32Array(this.count)
    for (let at = 0; at < order.length; at++) order[at] = at
    this.columns.order = order.toSorted((one, other) => (numbers[one] as number) - (numbers[other] as number))
  }

  private keepTexts(agent: AgentEntry): void {
    const { columns } = this
    const { handle, handleLength, urls, urlLengths } = agent
    const [profile, id] = [urlLengths[0] as number, urlLengths[1] as number]
    columns.texts = grown(
      columns.texts,
      this.textLength + 1 + handleLength + Math.max(profile, 0) + Math.max(id, 0) + 6
    )
    columns.textFrom[this.count] = this.textLength
    this.put(handleLength)
    this.putBytes(handle, handleLength)
    this.keepUrl(urls[0], profile, handle, handleLength)
    this.keepUrl(urls[1], id, agent.numberText, agent.numberLength)
  }

  private keepUrl(url: Uint8Array, length: number, ending: Uint8Array, endingLength: number): void {
    if (length === -1) return this.put(URL_NONE)
    const prefix = this.prefixOf(url, length - endingLength, ending, endingLength)
    if (prefix !== -1) {
      this.put(URL_PREFIXED)
      return this.put(prefix)
    }
    this.put(URL_WHOLE)
    this.put(length >> 8)
    this.put(length & 255)
    this.putBytes(url, length)
  }

  /** The index of the known prefix of an address. -1 if the address does not fit, or there are too many prefixes. */
  private prefixOf(url: Uint8Array, length: number, ending: Uint8Array, endingLength: number): number {
    if (length <= 0) return -1
    if (!sameUpTo(ending, endingLength, url, length)) return -1
    const known = indexOfName(this.prefixBytes, url, length)
    if (known !== -1 || this.prefixBytes.length >= PREFIXES_MAX) return known
    this.columns.prefixes.push(latin(url, 0, length))
    return this.prefixBytes.push(url.slice(0, length)) - 1
  }

  private put(byte: number): void {
    this.columns.texts[this.textLength++] = byte
  }

  private putBytes(bytes: Uint8Array, length: number): void {
    for (let at = 0; at < length; at++) this.put(bytes[at] as number)
  }
}
