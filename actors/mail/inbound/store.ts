/**
 * Stores the parts of messages, sealed and in pieces, in a separate stream for as long as mail is kept.
 *
 * Invariants
 *  - A part is stored before its message is received. If the message is not received, the part is removed. If that
 *    fails, the part is deleted when its time to live ends.
 *  - Each piece is flushed to the disk before it is acknowledged, as an atomic batch of one message.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import type { JetStreamManager } from "@nats-io/jetstream"
import type { Clock } from "effect"
import { BLOB_PIECE_BYTES, piecesOf } from "../../../schemas/blob/operations.ts"
import type { MailPart } from "../../../schemas/mail/operations.ts"
import { monotonicMs } from "../../../schemas/runtime/clock.ts"
import { sealBytes } from "../../../schemas/secret/bytes.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { storeDurably } from "../../log/durable.ts"

const TIMEOUT_MS = 5000
/** Milliseconds between two checks of the stream's size. */
const LOOKED_MS = 5000

export interface Part {
  readonly name: string
  readonly bytes: Uint8Array
}

export interface Place {
  readonly mailbox: number
  readonly mail: number
}

export interface MailStore {
  /** Rejects if a piece could not be stored. */
  readonly keep: (place: Place, parts: ReadonlyArray<Part>, key: string) => Promise<ReadonlyArray<MailPart>>
  readonly forget: (place: Place) => Promise<void>
  /** The bytes that one mailbox may hold at present; 0 if the store is full. */
  readonly boxMax: () => Promise<number>
}

interface Bounds {
  readonly keepSeconds: number
  readonly maxBytes: number
  readonly mailboxBytes: number
}

/** The part of the store above which mailboxes get less. */
const CROWDED = 0.75

/**
 * The bytes that one mailbox may hold if the store holds `stored`. Once the store is three quarters full, the limit
 * shrinks with the square of the free part of the last quarter. So large mailboxes, however many, leave room to small
 * ones.
 */
export const boxMaxOf = (stored: number, { maxBytes, mailboxBytes }: Omit<Bounds, "keepSeconds">): number => {
  const free = Math.max(0, maxBytes - stored) / (maxBytes * (1 - CROWDED))
  return Math.floor(mailboxBytes * Math.min(1, free) ** 2)
}

/** The most bytes that the stream needs for a piece besides its content: its subject, its headers and its frame. */
const PIECE_OVERHEAD_BYTES = 300

/** The bytes that the store needs for the parts of a message, at most. */
export const storedBytes = (parts: ReadonlyArray<MailPart>): number =>
  parts.reduce((sum, { size }) => sum + size + piecesOf(size) * PIECE_OVERHEAD_BYTES, 0)

export const mailStore = (
  clock: Clock.Clock,
  nats: NatsConnection,
  manager: JetStreamManager,
  { keepSeconds, ...bounds }: Bounds
): MailStore => {
  let looked = { at: Number.NEGATIVE_INFINITY, boxMax: 0 }

  const keepPiece = async (subject: string, bytes: Uint8Array): Promise<void> => {
    await storeDurably(nats, subject, bytes, { timeout: TIMEOUT_MS, keepSeconds })
  }

  return {
    keep: async ({ mailbox, mail }, parts, key) => {
      const kept: Array<MailPart> = []
      for (const { name, bytes } of parts) {
        const sealed = sealBytes(bytes, key)
        for (let piece = 0, from = 0; from < sealed.length; piece++, from += BLOB_PIECE_BYTES) {
          const subject = subjects.mailPiece(String(mailbox), String(mail), name, String(piece))
          await keepPiece(subject, sealed.subarray(from, from + BLOB_PIECE_BYTES))
        }
        kept.push({ name, size: sealed.length })
      }
      return kept
    },
    forget: async ({ mailbox, mail }) => {
      await manager.streams.purge(streams.mail, { filter: subjects.mailMessage(String(mailbox), String(mail)) })
    },
    boxMax: async () => {
      if (monotonicMs(clock) - looked.at > LOOKED_MS) {
        const { state } = await manager.streams.info(streams.mail)
        looked = { at: monotonicMs(clock), boxMax: boxMaxOf(state.bytes, bounds) }
      }
      return looked.boxMax
    }
  }
}
