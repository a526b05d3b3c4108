/**
 * The identity directory (spec 2.5, 4.7), sent block by block while it is read.
 *
 * Invariants
 *  - The read models have a version for each block of numbers. A block is fetched only if this edge does not have that
 *    version or a newer one. So a change of one agent costs one block, and a 304 costs one short query.
 *  - The content is never older than its ETag. It may be newer: the next read with that ETag then gets a whole answer.
 *  - `count` and `max_number` come last, and are those of the blocks that were sent.
 *  - Changes since an ETag belong to one state of the read models. If there are more than a page holds, the answer's
 *    ETag is that of its last entry, so that the next read continues from there. If the changes are not known, or too
 *    many, the answer is the whole directory, which has no `since`.
 *  - A block is compressed once for all readers that accept gzip.
 *  - If a block cannot be fetched, the connection is closed, so that a part is never taken for the whole.
 *  - While the read models are rebuilt they have fewer agents than before. An edge that knows of more answers 503
 *    meanwhile.
 *  - Cached blocks are bounded by CACHE_MAX_BYTES. The number of readers is bounded by readers.ts, and the time of each
 *    by WHOLE_MAX_MS.
 */
import { Readable } from "node:stream"
import { Effect } from "effect"
import type { Bus } from "../bus/bus.ts"
import { DIRECTORY_TAG } from "../../schemas/identity/directory.ts"
import type { DirectoryState } from "../../schemas/identity/operations.ts"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import type { Call } from "../http/call.ts"
import { takesGzip } from "../http/accept.ts"
import { matchesTag } from "../http/documents.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { empty, headOf, JSON_TYPE, readyBytes, type Response, streamed } from "../http/respond.ts"
import { deflate, gzip, gzipped, type Part } from "./gzip.ts"
import { Readers } from "./readers.ts"
import { after, monotonicMs } from "../../schemas/runtime/clock.ts"

const CACHE_MAX_BYTES = 134_217_728
/**
 * The most whole answers under way on one edge, and the most of one client. After `giveWayMs` an answer may be ended if
 * others wait.
 */
const READERS = { max: 32, clientMax: 4, giveWayMs: 10_000 }
/** The longest time from the first to the last byte of a whole answer. */
const WHOLE_MAX_MS = 120_000
/** The number of blocks that are fetched before they are needed. */
const AHEAD = 4
/** A reader that reads nothing for this long is disconnected. */
const IDLE_MAX_MS = 20_000
const FETCH_TIMEOUT_MS = 10_000
const GZIPPED = { "content-encoding": "gzip" }

interface Block {
  readonly version: number
  readonly sent: Promise<SentMembers>
  /** The members in compressed form, after the first request for it. */
  deflated: Promise<Uint8Array> | null
  bytes: number
}

interface Piece {
  readonly part: Part
  readonly count: number
  readonly maxNumber: number
}

interface SentMembers {
  /** Members of the JSON object, without its braces. */
  readonly members: Uint8Array
  readonly count: number
  readonly maxNumber: number
}

const overloaded: Refusal = { code: "overloaded", message: "Too many directories are being sent.", retryAfter: 2 }

export class Directory {
  private readonly bus: Bus
  private readonly maxAgeSeconds: number
  private readonly blocks = new Map<number, Block>()
  private kept = 0
  private readonly readers = new Readers(READERS)
  private known = 0

  constructor(bus: Bus, maxAgeSeconds: number) {
    this.bus = bus
    this.maxAgeSeconds = maxAgeSeconds
  }

  /**
   * `admit` is run before an answer with entries, not before a 304 (spec 4.7). `since` is the ETag of an earlier
   * answer.
   */
  answer(call: Call, admit: Effect.Effect<void, Refused>, since?: string): Effect.Effect<Response, Refused> {
    call.headers["vary"] = "Accept-Encoding"
    const asked = call.header("if-none-match")
    const unchanged =
      asked === undefined
        ? Effect.succeed(null)
        : Effect.map(this.state(call, false), (state) => (matchesTag(asked, tagOf(state)) ? state : null))
    return Effect.flatMap(unchanged, (same) => {
      if (same !== null) {
        this.mark(call, same)
        return Effect.succeed(empty(304))
      }
      const whole = Effect.flatMap(this.state(call, true), (state) => {
        this.mark(call, state)
        return this.whole(call, state)
      })
      return Effect.andThen(
        admit,
        since === undefined
          ? whole
          : Effect.flatMap(this.changes(call, since), (changes) => (changes === null ? whole : Effect.succeed(changes)))
      )
    })
  }

  private state(call: Call, blocks: boolean): Effect.Effect<DirectoryState, Refused> {
    return Effect.flatMap(this.bus.query(call, "directory", { blocks }), (state) => this.growing(state))
  }

  private growing<State extends DirectoryState>(state: State): Effect.Effect<State, Refused> {
    if (state.count < this.known) return Effect.fail(refuse(unavailable("The directory is being made again.")))
    this.known = state.count
    return Effect.succeed(state)
  }

  /** `null` if the whole directory is the answer. */
  private changes(call: Call, tag: string): Effect.Effect<Response | null, Refused> {
    const since = versionIn(tag)
    if (since === null) return Effect.succeed(null)
    const asked = this.bus.query(call, "directory_changes", { since })
    return Effect.flatMap(
      Effect.flatMap(asked, (state) => this.growing(state)),
      ({ changes, ...state }) => {
        if (changes === null) return Effect.succeed(null)
        const { version, max_number, count } = state
        this.mark(call, { ...state, version: changes.reached })
        const { agents, reached } = changes
        const data = {
          generated_at: new Date(call.startedAt).toISOString(),
          since: tag.replaceAll(AROUND_TAG, ""),
          more: reached < version,
          max_number,
          count,
          agents
        }
        return inOnePiece(call, JSON.stringify({ ok: true, data }))
      }
    )
  }

  private mark(call: Call, state: DirectoryState): void {
    Object.assign(call.headers, { etag: tagOf(state), "cache-control": `public, max-age=${this.maxAgeSeconds}` })
  }

  private whole(call: Call, state: DirectoryState): Effect.Effect<Response, Refused> {
    if (call.method === "HEAD") return Effect.succeed(headOf(JSON_TYPE))
    const zip = takesGzip(call)
    const parts = this.parts(call, state, zip)
    const stream = Readable.from(zip ? gzipped(parts) : plain(parts), { objectMode: false, highWaterMark: 1 })
    const { socket } = call.request
    // The stream must be destroyed too: until it is sent, nothing connects it to the socket.
    const letGo = (): void => {
      stream.destroy()
      socket.destroy()
    }
    const leave = this.readers.enter(call, monotonicMs(call.clock), letGo)
    if (leave === null) {
      stream.destroy()
      return Effect.fail(refuse(overloaded))
    }
    socket.setTimeout(IDLE_MAX_MS)
    socket.on("timeout", letGo)
    const cancel = after(call.clock, WHOLE_MAX_MS, letGo)
    stream.once("close", () => {
      cancel()
      leave()
      socket.off("timeout", letGo)
    })
    return Effect.succeed(streamed(stream, JSON_TYPE, zip ? GZIPPED : {}))
  }

  private async *parts(call: Call, state: DirectoryState, zip: boolean): AsyncGenerator<Part> {
    const { blocks } = state
    yield bytesOf(`{"ok":true,"data":{"generated_at":"${new Date(call.startedAt).toISOString()}","agents":{`)
    let count = 0
    let maxNumber = 0
    for (const [index, [block, version]] of blocks.entries()) {
      for (const [ahead, itsVersion] of blocks.slice(index + 1, index + 1 + AHEAD))
        void this.piece(call, ahead, itsVersion, zip).catch(() => undefined)
      const piece = await this.piece(call, block, version, zip)
      if (piece.count === 0) continue
      if (count > 0) yield bytesOf(",")
      yield piece.part
      count += piece.count
      maxNumber = Math.max(maxNumber, piece.maxNumber)
    }
    yield bytesOf(`},"max_number":${maxNumber},"count":${count}}}`)
  }

  private async piece(call: Call, block: number, version: number, zip: boolean): Promise<Piece> {
    const entry = this.block(call, block, version)
    const { members, count, maxNumber } = await entry.sent
    if (!zip) return { part: { bytes: members }, count, maxNumber }
    if (entry.deflated === null) {
      entry.deflated = deflate(members)
      entry.deflated.then(
        ({ length }) => this.grew(block, entry, length),
        () => this.forget(block, entry)
      )
    }
    return { part: { bytes: members, deflated: await entry.deflated }, count, maxNumber }
  }

  private block(call: Call, block: number, version: number): Block {
    const known = this.blocks.get(block)
    if (known !== undefined && known.version >= version) {
      // The longest unused is the first.
      this.blocks.delete(block)
      this.blocks.set(block, known)
      return known
    }
    if (known !== undefined) this.forget(block, known)
    const sent = this.fetch(call, block)
    const entry: Block = { version, sent, deflated: null, bytes: 0 }
    this.blocks.set(block, entry)
    sent.then(
      ({ members }) => this.grew(block, entry, members.length),
      () => this.forget(block, entry)
    )
    return entry
  }

  /** Reads `{"count":…,"max_number":…,"agents":{…}}`. The figures are parsed, and the rest is passed on unchanged. */
  private async fetch(call: Call, block: number): Promise<SentMembers> {
    // The query does not end with this client, because other requests for the block wait for it too.
    const within = { deadline: call.deadline, span: call.span, call: null }
    const data = await Effect.runPromise(this.bus.queryBytes(within, "directory_block", { block }, FETCH_TIMEOUT_MS))
    const figures = BLOCK_HEAD.exec(Buffer.from(data.subarray(0, BLOCK_HEAD_MAX)).toString("latin1"))
    if (figures === null) throw new Error("A block of the directory does not begin with its figures")
    const [head, count, maxNumber] = figures
    // The bytes are copied, because the bus's buffers hold more than these and would stay in memory.
    return {
      members: Uint8Array.prototype.slice.call(data, head.length, -2),
      count: Number(count),
      maxNumber: Number(maxNumber)
    }
  }

  private grew(block: number, entry: Block, bytes: number): void {
    if (this.blocks.get(block) !== entry) return
    entry.bytes += bytes
    this.kept += bytes
    for (const [oldest, other] of this.blocks) {
      if (this.kept <= CACHE_MAX_BYTES) return
      if (other.bytes > 0) this.forget(oldest, other)
    }
  }

  private forget(block: number, entry: Block): void {
    if (this.blocks.get(block) !== entry) return
    this.blocks.delete(block)
    this.kept -= entry.bytes
  }
}

const bytesOf = (text: string): Part => ({ bytes: Buffer.from(text) })

async function* plain(parts: AsyncIterable<Part>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of parts) yield bytes
}

const inOnePiece = (call: Call, text: string): Effect.Effect<Response> =>
  takesGzip(call)
    ? Effect.map(
        Effect.promise(() => gzip(Buffer.from(text))),
        (body) => readyBytes(body, JSON_TYPE, GZIPPED)
      )
    : Effect.sync(() => readyBytes(Buffer.from(text), JSON_TYPE))

const BLOCK_HEAD = /^\{"count":(\d+),"max_number":(\d+),"agents":\{/
const BLOCK_HEAD_MAX = 96

/** In the header, a tag may come with or without `W/` and quotes. */
const AROUND_TAG = /^(?:W\/)?"|"$/g

/** `null` for a tag in another form than this service's tags. */
const versionIn = (tag: string): number | null => {
  const version = DIRECTORY_TAG.exec(tag)?.[1]
  return version === undefined ? null : Number.parseInt(version, 36)
}

const tagOf = ({ version, max_number }: DirectoryState): string =>
  `"${version.toString(36)}-${max_number.toString(36)}"`
