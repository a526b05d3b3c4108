/**
 * Stores the bytes of files and data in the stream of blobs, in numbered pieces under the SHA-256 of the whole.
 *
 * Invariants
 *  - Bytes come here only after their sender was authenticated and their size was drawn from the agent's daily bytes.
 *    Until then they count among the bodies that the edge holds (edge/http/body.ts).
 *  - Each try asks the blob's actor before it writes the first piece. From then on it expects a reference to the blob,
 *    and deletes the blob if none comes (actors/blob/state.ts). Each piece is an atomic batch of one, so the server
 *    flushes it to disk before it acknowledges.
 *  - A piece is written once, because the stream refuses a second one with its number. If one is there already (two
 *    uploads of the same bytes, or a lost acknowledgement), it is read and compared.
 *  - No piece is sent after the request's deadline. So an edge that was frozen writes nothing to a blob that was
 *    deleted meanwhile.
 *  - A piece is read from the stream when the client has taken the one before. The number of downloads is bounded, for
 *    each client and in all. Each download has a time limit.
 */
import { createHash } from "node:crypto"
import { Readable } from "node:stream"
import { headers, type Msg, type MsgHdrs, nuid } from "@nats-io/transport-node"
import { type Clock, Effect } from "effect"
import { BLOB_PIECE_BYTES, type BlobRef, piecesOf } from "../../schemas/blob/operations.ts"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { after, delay, wallMs, monotonicMs } from "../../schemas/runtime/clock.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import type { Requests } from "../../schemas/runtime/bus/requests.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import type { Call } from "../http/call.ts"
import type { Span } from "../http/range.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { Shares } from "../http/shares.ts"
import type { Bus } from "./bus.ts"

const WRITES_AT_ONCE = 4
const WRITE_TIMEOUT_MS = 5000
/** The server's answer if the stream has no leader at the moment. Nothing was written. */
const NO_LEADER = 503
const READ_TIMEOUT_MS = 5000
/** Milliseconds that a replica may be behind. A piece that is still missing then does not exist. */
const BEHIND_MS = 1000
const PAUSE_MS = 50

const notStored = refuse(unavailable("The bytes could not be stored in time. It is safe to send them again."))
const notRead = refuse(unavailable("The bytes cannot be read at the moment."))
const tooMany: Refusal = {
  code: "overloaded",
  message: "You have too many files under way at once. Read one to its end first.",
  retryAfter: 2
}

interface Acknowledged {
  readonly seq?: number
  readonly error?: { readonly code?: number; readonly err_code?: number; readonly description?: string }
}

/** Headers of a message that must be the first on its subject, sent as a batch of one (see the invariants). */
const onceHeaders = (): MsgHdrs => {
  const all = headers()
  all.set("Nats-Batch-Id", nuid.next())
  all.set("Nats-Batch-Sequence", "1")
  all.set("Nats-Batch-Commit", "1")
  all.set("Nats-Expected-Last-Subject-Sequence", "0")
  return all
}

const pieceAddress = (stream: string, subject: string): string => `$JS.API.DIRECT.GET.${stream}.${subject}`

export class Blobs {
  private readonly clock: Clock.Clock
  private readonly bus: Bus
  private readonly requests: Requests<Msg, MsgHdrs>
  private readonly downloads: Shares
  private readonly downloadMs: number

  constructor(clock: Clock.Clock, bus: Bus, requests: Requests<Msg, MsgHdrs>, { service }: Limits) {
    this.clock = clock
    this.bus = bus
    this.requests = requests
    this.downloads = new Shares(service.max_downloads, service.max_client_downloads)
    this.downloadMs = service.download_timeout_ms
  }

  get sending(): number {
    return this.downloads.inUse
  }

  /**
   * Stores the bytes. Writes nothing if they are stored already, or if the command was carried out before
   * (`call.again`).
   */
  keep(call: Call, bytes: Uint8Array, sha256 = sha256Of(bytes)): Effect.Effect<BlobRef, Refused> {
    const ref = { sha256, size: bytes.length }
    if (call.again) return Effect.succeed(ref)
    return Effect.gen({ self: this }, function* () {
      const expected = { actor: sha256, op: "blob.expect", input: { size: ref.size }, anew: true } as const
      const { stored } = yield* this.bus.read(call, expected)
      if (!stored) {
        yield* Effect.tryPromise({
          try: (signal) => this.write(sha256, bytes, call.deadline, signal),
          catch: (error) => {
            if (error !== LATE) logNow("error", "blobs", { error })
            return notStored
          }
        })
      }
      return ref
    })
  }

  /** The bytes of a blob as a stream. The first piece is read before this succeeds. */
  open(call: Call, { sha256 }: BlobRef, span: Span): Effect.Effect<Readable, Refused> {
    return Effect.gen({ self: this }, function* () {
      if (!this.downloads.take(call, 1)) return yield* refuse(tooMany)
      const reading = Effect.tryPromise({
        try: () => this.piece(sha256, pieceAt(span.from)),
        catch: () => notRead
      })
      const first = yield* Effect.onError(reading, () => Effect.sync(() => this.downloads.give(call, 1)))
      const stream = Readable.from(this.pieces(sha256, span, first), { objectMode: false, highWaterMark: 1 })
      const cancel = after(call.clock, this.downloadMs, () => stream.destroy(), "unref")
      stream.once("close", () => {
        cancel()
        this.downloads.give(call, 1)
      })
      return stream
    })
  }

  /**
   * Reads other data that is stored in numbered pieces (a part of a stored message) as a whole. Fails if it cannot be
   * read.
   */
  whole(
    call: Call,
    stream: string,
    subjectOf: (piece: number) => string,
    pieces: number
  ): Effect.Effect<Buffer, Refused> {
    const read = async (): Promise<Buffer> => {
      const all: Array<Uint8Array> = []
      for (let piece = 0; piece < pieces; piece++) all.push(await this.stored(stream, subjectOf(piece)))
      return Buffer.concat(all)
    }
    return Effect.suspend(() => {
      if (!this.downloads.take(call, 1)) return Effect.fail(refuse(tooMany))
      return Effect.ensuring(
        // The reading goes on for a client that is gone, and so does its share.
        Effect.uninterruptible(Effect.tryPromise({ try: read, catch: () => notRead })),
        Effect.sync(() => this.downloads.give(call, 1))
      )
    })
  }

  private async write(sha256: string, bytes: Uint8Array, until: number, signal: AbortSignal): Promise<void> {
    const pieces = piecesOf(bytes.length)
    let next = 0
    const writer = async (): Promise<void> => {
      for (let piece = next++; piece < pieces && !signal.aborted; piece = next++) {
        const from = piece * BLOB_PIECE_BYTES
        await this.writePiece(sha256, piece, bytes.subarray(from, from + BLOB_PIECE_BYTES), until)
      }
    }
    try {
      await Promise.all(Array.from({ length: Math.min(WRITES_AT_ONCE, pieces) }, writer))
    } finally {
      // If a piece fails, the other writers stop.
      next = pieces
    }
  }

  private async writePiece(sha256: string, piece: number, bytes: Uint8Array, until: number): Promise<void> {
    for (let left = until - wallMs(this.clock); left > 0; left = until - wallMs(this.clock)) {
      const subject = subjects.blob(sha256, String(piece))
      const answer = await this.requests.request(subject, bytes, Math.min(left, WRITE_TIMEOUT_MS), onceHeaders())
      if (answer !== null && answer.data.length > 0) {
        const { error } = answer.json<Acknowledged>()
        if (error === undefined) return
        if (await this.stands(sha256, piece, bytes)) return
        if (error.code !== NO_LEADER) throw new Error(error.description ?? "the stream of blobs refused a piece")
      }
      // The piece was not written, or the outcome is unknown. It is safe to send it again.
      await delay(this.clock, PAUSE_MS)
    }
    throw LATE
  }

  /** True if the same piece is stored already. */
  private async stands(sha256: string, piece: number, bytes: Uint8Array): Promise<boolean> {
    const there = await this.piece(sha256, piece).catch(() => null)
    return there !== null && bytes.length === there.length && Buffer.compare(there, bytes) === 0
  }

  private async *pieces(sha256: string, { from, to }: Span, first: Uint8Array): AsyncGenerator<Uint8Array> {
    let bytes = first
    for (let at = from; at <= to;) {
      const piece = pieceAt(at)
      const begin = piece * BLOB_PIECE_BYTES
      if (at !== from) bytes = await this.piece(sha256, piece)
      const part = bytes.subarray(at - begin, to + 1 - begin)
      if (part.length === 0) throw new Error(`piece ${piece} of ${sha256} ends too early`)
      yield part
      at += part.length
    }
  }

  private piece(sha256: string, piece: number): Promise<Uint8Array> {
    return this.stored(streams.blobs, subjects.blob(sha256, String(piece)))
  }

  /** Rejects if the piece is not there, or if no server answers. */
  private async stored(stream: string, subject: string): Promise<Uint8Array> {
    const address = pieceAddress(stream, subject)
    const began = monotonicMs(this.clock)
    for (let past = 0; past < READ_TIMEOUT_MS; past = monotonicMs(this.clock) - began) {
      const answer = await this.requests.request(address, undefined, READ_TIMEOUT_MS - past)
      if (answer !== null && answer.data.length > 0) return answer.data
      if (answer?.headers?.code === NOT_FOUND && past > BEHIND_MS) break
      await delay(this.clock, PAUSE_MS)
    }
    throw new Error(`${subject} cannot be read`)
  }
}

const NOT_FOUND = 404

const LATE = new Error("the time for an upload is over")

const pieceAt = (byte: number): number => Math.floor(byte / BLOB_PIECE_BYTES)

const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
