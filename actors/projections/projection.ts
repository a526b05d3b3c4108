/**
 * A projection turns a noun's part of the log into rows of that noun's tables. No batch is applied twice, because the
 * watermark moves in the same transaction. Batches of any size give the same rows.
 */
import type { Transaction } from "kysely"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { Database } from "../tables/database.ts"
import { checkEvents, type Inventory } from "../engine/fold.ts"
import type { Commit } from "../log/commit.ts"
import type { Retention } from "./retention.ts"

export interface Message {
  readonly seq: number
  readonly kind: string
  readonly id: string
  readonly data: Uint8Array
  /** The decoded commit of `data`, once a projection has read it. */
  commit?: Commit
  /** The trace of a sampled commit, and the time when it was stored (Unix ms). */
  readonly traced?: { readonly traceparent: string; readonly storedAt: number }
}

export interface ReadModelTable {
  readonly name: keyof Database
  /** The kind of actors whose commits make the rows. */
  readonly kind: string
  /** The column with the actor's id; `null` if a row is made from several actors. */
  readonly actor: string | null
  /** Columns that are also written by something other than the projection's stream. */
  readonly foreign?: ReadonlyArray<string>
  /** The rule for how long rows are kept; absent if they are kept for good. */
  readonly kept?: Retention
}

export type Change = (trx: Transaction<Database>) => Promise<void>

export const unchanged: Change = () => Promise.resolve()

export interface Projection {
  readonly name: string
  readonly stream: string
  readonly subjects: readonly [string, ...Array<string>]
  /**
   * Kinds of actors whose commits the projection reads. The answer to a `projected` write of these kinds waits for it.
   */
  readonly kinds: ReadonlyArray<string>
  /** Incremented when the tables must be made again from the beginning. */
  readonly version: number
  /** Tables in the order in which queries lock them. A rebuild locks them in the same order when it replaces them. */
  readonly tables: ReadonlyArray<ReadModelTable>
  /** Tables of other projections whose rows it also changes. A rebuild does not touch these. */
  readonly besides: ReadonlyArray<keyof Database>
  /** `null`: the batch leaves all rows as they are, and needs no transaction. Throws if a message cannot be applied. */
  readonly changes: (batch: ReadonlyArray<Message>) => Change | null
  /** For a message that cannot be applied as a whole: changes that leave out derived columns, or nothing. */
  readonly bare: (message: Message) => Change
  /**
   * Adds data that rebuilt tables need besides the stream. It runs before they are served, and may run more than once.
   */
  readonly settle: Change
  /** Messages to publish on the bus, as subject and content, once a batch is in the tables. */
  readonly hints: (batch: ReadonlyArray<Message>) => ReadonlyArray<readonly [string, string]>
}

export const messageOf = (subject: string, seq: number, data: Uint8Array): Message => {
  const parts = subject.split(".")
  return { seq, kind: parts[2] ?? "", id: parts.slice(3).join("."), data }
}

export interface Logged {
  readonly seq: number
  readonly kind: string
  readonly id: string
  readonly commit: Commit
}

interface LogProjection
  extends Pick<Projection, "name" | "version" | "tables">, Partial<Pick<Projection, "settle" | "hints">> {
  /** For each kind, the events that its rows can be made from. */
  readonly reads: readonly [ReadKind, ...Array<ReadKind>]
  /** Pure. The commits are in the order of the log. */
  readonly changes: (commits: ReadonlyArray<Logged>) => Change | null
  /** The same changes without columns that are derived from texts. */
  readonly bare?: (commits: ReadonlyArray<Logged>) => Change
}

interface ReadKind {
  readonly kind: string
  readonly events: Inventory
}

const text = new TextDecoder()

/** Decodes a commit of the event log once for all readers. Throws if it is not JSON. */
export const commitOf = (message: Message): Commit => {
  const commit: Commit = message.commit ?? JSON.parse(text.decode(message.data))
  message.commit = commit
  return commit
}

export const logProjection = ({ reads, changes, bare, ...rest }: LogProjection): Projection => {
  const inventories = new Map(reads.map(({ kind, events }) => [kind, events]))
  /** Throws `UnknownEvent`, because a row without that event would stay wrong. */
  const logged = (message: Message): Logged => {
    const { kind, id, seq } = message
    const commit = commitOf(message)
    checkEvents({ kind, events: inventories.get(kind) ?? {} }, commit)
    return { kind, id, seq, commit }
  }
  const [first, ...others] = reads
  return {
    settle: () => Promise.resolve(),
    hints: () => [],
    ...rest,
    stream: streams.events,
    subjects: [subjects.eventsOf(first.kind), ...others.map(({ kind }) => subjects.eventsOf(kind))],
    kinds: reads.map(({ kind }) => kind),
    besides: [],
    changes: (batch) => changes(batch.filter(({ data }) => data.length > 0).map(logged)),
    bare: (message) => bare?.([logged(message)]) ?? unchanged
  }
}
