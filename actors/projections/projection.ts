/**
 * A projection: what a batch of the log does to the read models. Rows are absolute (the log's facts are), so the same
 * batch applied twice leaves the same rows; and it is never applied twice, because the watermark moves in the same
 * transaction.
 */
import type { Transaction } from "kysely"
import type { Database } from "../database.ts"

export interface Message {
  readonly seq: number
  readonly kind: string
  readonly id: string
  /** Unix ms, as the server stored it. */
  readonly storedAt: number
  readonly data: Uint8Array
}

export interface Projection {
  readonly name: string
  readonly stream: string
  /** Raised when the tables must be made again from the beginning. */
  readonly version: number
  readonly apply: (trx: Transaction<Database>, batch: ReadonlyArray<Message>) => Promise<void>
  /** Empties the tables, before everything is applied again. */
  readonly clear: (trx: Transaction<Database>) => Promise<void>
}
