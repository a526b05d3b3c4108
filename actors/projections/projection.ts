/**
 * A projection: what a batch of the log does to the read models. Rows are absolute (the log's facts are), so the same
 * batch applied twice leaves the same rows; and it is never applied twice, because the watermark moves in the same
 * transaction. How the log is cut into batches makes no difference to the rows.
 */
import type { Transaction } from "kysely"
import type { Database } from "../database.ts"

export interface Message {
  readonly seq: number
  readonly kind: string
  readonly id: string
  readonly data: Uint8Array
  /** Of a sampled commit: its trace, and when it was stored (unix ms). */
  readonly traced?: { readonly traceparent: string; readonly storedAt: number }
}

export interface ReadModelTable {
  readonly name: keyof Database
  /** The kind of actor whose commits make its rows. */
  readonly kind: string
  /** The column with the actor's id; `null` where a row is made of several actors. */
  readonly actor: string | null
  /** Columns that other streams than the projection's write too. */
  readonly foreign?: ReadonlyArray<string>
}

export interface Projection {
  readonly name: string
  readonly stream: string
  /** Raised when the tables must be made again from the beginning. */
  readonly version: number
  /** In the order in which queries lock them, so that a rebuild that takes their place waits for them in the same. */
  readonly tables: ReadonlyArray<ReadModelTable>
  /** Tables of other projections whose rows it changes as well: a rebuild leaves these alone. */
  readonly besides: ReadonlyArray<keyof Database>
  readonly apply: (trx: Transaction<Database>, batch: ReadonlyArray<Message>) => Promise<void>
  /** What tables made anew need besides the stream: brought in once, before they are served. */
  readonly settle: (trx: Transaction<Database>) => Promise<void>
}

/** A message as its subject and its content say. */
export const messageOf = (subject: string, seq: number, data: Uint8Array): Message => {
  const parts = subject.split(".")
  return { seq, kind: parts[2] ?? "", id: parts.slice(3).join("."), data }
}
