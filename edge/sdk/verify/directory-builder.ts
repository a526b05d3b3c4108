/**
 * Builds a directory from its document, or from the entries that changed.
 *
 * Invariants
 *  - Members may come in any order, and each is checked. If a member is missing, repeated or malformed, the whole
 *    document is refused.
 */
import { PUBLIC_KEY_BYTES } from "../../../schemas/signing/ed25519.ts"
import { parseAgentNumber } from "../../../schemas/signing/identity.ts"
import { AgentEntry } from "./agent-entry.ts"
import { decodeBase64 } from "./base64.ts"
import { indexOfName, latin, names } from "./bytes.ts"
import { columnsFor } from "./columns.ts"
import { ColumnsWriter } from "./columns-writer.ts"
import { Directory } from "./directory.ts"
import { STATUSES } from "./identity.ts"
import type { JsonSink } from "./json.ts"
import { malformed } from "./malformed.ts"

const FIRST_AGENTS = 1024
const FIRST_TEXT_BYTES = 16_384

const TOP = names("ok", "data")
/** Only a document of changes has the last two members. */
const DATA = names("generated_at", "max_number", "count", "agents", "since", "more")
const DATA_NEEDED = 4
const ENTRY = names(
  "id",
  "handle",
  "status",
  "moderation",
  "public_key",
  "keys",
  "trust",
  "reputation",
  "profile_url",
  "id_url"
)
const KEY_ENTRY = names("public_key", "status", "retired_at")
const STATUS_NAMES = names(...STATUSES)
const MODERATION_NAMES = names("suspended", "banned")
const KEY_STATUS_NAMES = names("current", "retired")

/** Depths of the document: inside `{ok, data}`, `data`, `agents`, one agent, its `keys`, one key. */
const IN_TOP = 1
const IN_DATA = 2
const IN_AGENTS = 3
const IN_AGENT = 4
const IN_KEYS = 5
const IN_KEY = 6

export interface ReadDirectory {
  readonly directory: Directory
  /**
   * True if it contains only entries that changed since an earlier directory. `more` is true if further entries follow.
   */
  readonly isChanges: boolean
  readonly more: boolean
  /** The number of agents in the whole directory. */
  readonly count: number
}

export class DirectoryBuilder implements JsonSink {
  private readonly writer: ColumnsWriter
  private readonly agentsMax: number
  private depth = 0
  private field = -1
  /** One bit for each member that was read, for each depth: each member must occur exactly once. */
  private readonly seen = new Uint32Array(IN_KEY + 1)
  private ok = false
  private generatedAt = Number.NaN
  private maxNumber = -1
  private declared = -1
  private isChanges = false
  private more = false
  private readonly agent = new AgentEntry()
  /** The key of the entry of `keys` that is being read. */
  private readonly entryKey = new Uint8Array(PUBLIC_KEY_BYTES)
  private entryRetired = false
  private entryRetiredAt = 0

  /** `last` is the current directory, if the next one is complete and will have about the same size. */
  constructor(agentsMax: number, last: Directory | null) {
    this.agentsMax = agentsMax
    this.writer = new ColumnsWriter(
      last === null ? columnsFor(FIRST_AGENTS, 0, FIRST_TEXT_BYTES) : last.columnsOfSize()
    )
  }

  key(bytes: Uint8Array, length: number): boolean {
    if (this.depth === IN_AGENTS) {
      this.beginAgent(bytes, length)
      return true
    }
    const list =
      this.depth === IN_TOP ? TOP : this.depth === IN_DATA ? DATA : this.depth === IN_AGENT ? ENTRY : KEY_ENTRY
    this.field = indexOfName(list, bytes, length)
    if (this.field === -1) return false
    const bit = 1 << this.field
    if (((this.seen[this.depth] as number) & bit) !== 0) throw malformed("a member comes twice")
    this.seen[this.depth] = (this.seen[this.depth] as number) | bit
    return true
  }

  open(array: boolean): void {
    const { depth, field } = this
    const expected =
      depth === 0 || depth === IN_AGENTS || depth === IN_KEYS
        ? !array
        : depth === IN_TOP
          ? !array && field === 1
          : depth === IN_DATA
            ? !array && field === 3
            : depth === IN_AGENT && array && field === 5
    if (!expected) throw malformed("a member has the wrong form")
    this.depth++
    this.seen[this.depth] = 0
    if (this.depth === IN_KEY) {
      this.entryRetired = false
      this.entryRetiredAt = Number.NaN
    }
  }

  close(): void {
    if (this.depth === IN_AGENT) this.endAgent()
    else if (this.depth === IN_KEY) this.endKey()
    else if (this.depth === IN_DATA || this.depth === IN_TOP)
      this.complete(this.depth === IN_DATA ? DATA_NEEDED : TOP.length)
    this.depth--
  }

  text(bytes: Uint8Array, length: number): void {
    if (length === -1) throw malformed("a text is too long or not ASCII")
    if (this.depth === IN_AGENT) return this.agentText(bytes, length)
    if (this.depth === IN_KEY) return this.keyText(bytes, length)
    if (this.depth === IN_DATA && this.field === 4) {
      this.isChanges = true
      return
    }
    if (this.depth !== IN_DATA || this.field !== 0) throw malformed("a member has the wrong form")
    this.generatedAt = Date.parse(latin(bytes, 0, length))
    if (Number.isNaN(this.generatedAt)) throw malformed("generated_at is no time")
  }

  number(value: number): void {
    if (this.depth === IN_AGENT && this.field === 6) this.agent.trust = value
    else if (this.depth === IN_AGENT && this.field === 7) this.agent.reputation = value
    else if (this.depth === IN_DATA && this.field === 1 && Number.isSafeInteger(value)) this.maxNumber = value
    else if (this.depth === IN_DATA && this.field === 2 && Number.isSafeInteger(value)) this.declared = value
    else throw malformed("a member has the wrong form")
  }

  literal(value: boolean | null): void {
    if (this.depth === IN_TOP && this.field === 0 && value === true) this.ok = true
    else if (this.depth === IN_DATA && this.field === 5 && value !== null) this.more = value
    // moderation, public_key and profile_url may be null, which is also their initial value.
    else if (this.depth !== IN_AGENT || value !== null || ![3, 4, 8].includes(this.field))
      throw malformed("a member has the wrong form")
  }

  finish(): ReadDirectory {
    const { writer, maxNumber, generatedAt, isChanges, more, declared } = this
    const isAll = isChanges ? writer.count <= declared : !more && writer.count === declared
    if (!this.ok || !isAll) throw malformed("it does not hold what it says")
    writer.putInOrder()
    if (writer.highest() > maxNumber) throw malformed("a number is above max_number")
    writer.trim()
    const directory = Directory.of(writer.columns, writer.count, maxNumber, generatedAt)
    return { directory, isChanges, more, count: declared }
  }

  private complete(needed: number): void {
    const all = (1 << needed) - 1
    if (((this.seen[this.depth] as number) & all) !== all) throw malformed("a member is missing")
  }

  private beginAgent(bytes: Uint8Array, length: number): void {
    const { agent } = this
    const number = length < 0 || length > agent.numberText.length ? null : parseAgentNumber(latin(bytes, 0, length))
    if (number === null) throw malformed("an agent's number is not canonical")
    if (this.writer.count >= this.agentsMax) throw malformed("it holds too many agents")
    agent.begin(number, bytes, length)
  }

  private agentText(bytes: Uint8Array, length: number): void {
    const { agent } = this
    switch (this.field) {
      case 0:
        return agent.checkId(bytes, length)
      case 1:
        return agent.readHandle(bytes, length)
      case 2:
        agent.status = oneOf(STATUS_NAMES, bytes, length)
        return
      case 3:
        agent.moderation = oneOf(MODERATION_NAMES, bytes, length) + 1
        return
      case 4:
        return agent.readKey(bytes, length)
      case 8:
        return agent.readUrl(0, bytes, length)
      case 9:
        return agent.readUrl(1, bytes, length)
      default:
        throw malformed("a member has the wrong form")
    }
  }

  private keyText(bytes: Uint8Array, length: number): void {
    if (this.field === 0) {
      if (!decodeBase64(bytes, length, this.entryKey)) throw malformed("a key is none")
    } else if (this.field === 1) this.entryRetired = oneOf(KEY_STATUS_NAMES, bytes, length) === 1
    else {
      this.entryRetiredAt = Date.parse(latin(bytes, 0, length))
      if (Number.isNaN(this.entryRetiredAt)) throw malformed("retired_at is no time")
    }
  }

  private endKey(): void {
    if (((this.seen[IN_KEY] as number) & 3) !== 3) throw malformed("a member is missing")
    if (!this.entryRetired) return
    if (Number.isNaN(this.entryRetiredAt)) throw malformed("a retired key has no retired_at")
    this.agent.keepRetired(this.entryKey, this.entryRetiredAt)
  }

  private endAgent(): void {
    this.complete(ENTRY.length)
    const { agent } = this
    if (!agent.hasKey && STATUSES[agent.status] !== "retired") throw malformed("an agent has no key")
    this.writer.add(agent)
  }
}

const oneOf = (list: ReadonlyArray<Uint8Array>, bytes: Uint8Array, length: number): number => {
  const index = indexOfName(list, bytes, length)
  if (index === -1) throw malformed("a member has an unknown value")
  return index
}
