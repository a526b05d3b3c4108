/**
 * The identity directory (spec 2.5, 4.7), sent block by block as it is read.
 *
 * Invariants
 *  - The read models say how each block of numbers stands; a block is fetched only where this edge does not have that
 *    version. So a change of one agent costs one block, and a 304 costs one short query.
 *  - What is sent is never older than its ETag. It may be newer: the next read with that ETag then gets a whole answer.
 *  - `count` and `max_number` are those of the beginning: later numbers are left out, and none ever vanishes.
 *  - A block that cannot be had ends the connection, so that a part is never taken for the whole.
 *  - While the read models are made again they hold less than they did: an edge that knows of more answers 503 meanwhile.
 *  - Kept blocks are bounded by CACHE_MAX_BYTES; readers under way by READERS_MAX.
 */
import { Readable } from "node:stream"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Bus } from "../bus/bus.ts"
import type { DirectoryState } from "../../schemas/bus/operations.ts"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import type { Call } from "../http/call.ts"
import { matchesTag } from "../http/documents.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { empty, type Response } from "../http/respond.ts"

const CACHE_MAX_BYTES = 134_217_728
/** Whole answers under way at once on one edge. */
const READERS_MAX = 32
/** Blocks fetched ahead of what has been sent. */
const AHEAD = 4
/** A reader that takes nothing for so long is let go. */
const IDLE_MAX_MS = 20_000
const FETCH_TIMEOUT_MS = 10_000
const JSON_TYPE = "application/json; charset=utf-8"

interface Block {
  readonly version: number
  /** Members of the JSON object, without its braces. */
  readonly members: Promise<Uint8Array>
  bytes: number
}

const overloaded: Refusal = { code: "overloaded", message: "Too many directories are being sent.", retryAfter: 2 }

export class Directory {
  private readonly bus: Bus
  private readonly maxAgeSeconds: number
  private readonly blocks = new Map<number, Block>()
  private kept = 0
  private readers = 0
  private known = 0

  constructor(bus: Bus, maxAgeSeconds: number) {
    this.bus = bus
    this.maxAgeSeconds = maxAgeSeconds
  }

  /** `admit` is asked before a whole answer, not before a 304 (spec 4.7). */
  answer(call: Call, admit: Effect.Effect<void, Refused>): Effect.Effect<Response, Refused> {
    const asked = call.header("if-none-match")
    const unchanged = asked === undefined ? Effect.succeed(null) : Effect.map(this.state(call, false), (state) => (matchesTag(asked, tagOf(state)) ? state : null))
    return Effect.flatMap(unchanged, (same) => {
      if (same !== null) {
        this.mark(call, same)
        return Effect.succeed(empty(304))
      }
      return Effect.flatMap(admit, () =>
        Effect.flatMap(this.state(call, true), (state) => {
          this.mark(call, state)
          return this.whole(call, state)
        }))
    })
  }

  private state(call: Call, blocks: boolean): Effect.Effect<DirectoryState, Refused> {
    return Effect.flatMap(this.bus.query(call, "directory", { blocks }), (state) => {
      if (state.count < this.known) return Effect.fail(refuse(unavailable("The directory is being made again.")))
      this.known = state.count
      return Effect.succeed(state)
    })
  }

  private mark(call: Call, state: DirectoryState): void {
    Object.assign(call.headers, { etag: tagOf(state), "cache-control": `public, max-age=${this.maxAgeSeconds}` })
  }

  private whole(call: Call, state: DirectoryState): Effect.Effect<Response, Refused> {
    if (call.method === "HEAD") return Effect.succeed(HttpServerResponse.empty({ status: 200, headers: { "content-type": JSON_TYPE } }))
    if (this.readers >= READERS_MAX) return Effect.fail(refuse(overloaded))
    const stream = Readable.from(this.parts(call, state), { objectMode: false, highWaterMark: 1 })
    this.readers++
    const { socket } = call.request
    const letGo = (): void => void socket.destroy()
    socket.setTimeout(IDLE_MAX_MS)
    socket.on("timeout", letGo)
    stream.once("close", () => {
      this.readers--
      socket.off("timeout", letGo)
      socket.setTimeout(0)
    })
    return Effect.succeed(HttpServerResponse.raw(stream, { status: 200, contentType: JSON_TYPE }))
  }

  private async *parts(call: Call, state: DirectoryState): AsyncGenerator<Uint8Array> {
    const { max_number, count, blocks } = state
    const head = { generated_at: new Date(call.startedAt).toISOString(), max_number, count }
    yield Buffer.from(`{"ok":true,"data":${JSON.stringify(head).slice(0, -1)},"agents":{`)
    let begun = false
    for (const [index, [block, version]] of blocks.entries()) {
      for (const [ahead, itsVersion] of blocks.slice(index + 1, index + 1 + AHEAD)) void this.block(call, ahead, itsVersion, max_number).catch(() => undefined)
      const members = await this.block(call, block, version, max_number)
      if (members.length === 0) continue
      yield begun ? Buffer.concat([COMMA, members]) : members
      begun = true
    }
    yield Buffer.from("}}}")
  }

  private block(call: Call, block: number, version: number, upto: number): Promise<Uint8Array> {
    const known = this.blocks.get(block)
    if (known !== undefined && known.version >= version) {
      // The longest unused is the first.
      this.blocks.delete(block)
      this.blocks.set(block, known)
      return known.members
    }
    if (known !== undefined) this.forget(block, known)
    const members = this.fetch(call, block, upto)
    const entry: Block = { version, members, bytes: 0 }
    this.blocks.set(block, entry)
    members.then(
      ({ length }) => this.grew(block, entry, length),
      () => this.forget(block, entry)
    )
    return members
  }

  private async fetch(call: Call, block: number, upto: number): Promise<Uint8Array> {
    const data = await Effect.runPromise(this.bus.queryBytes(call, "directory_block", { block, upto }, FETCH_TIMEOUT_MS))
    // A copy of its own: the bus's buffers hold more than this and would be kept with it.
    return Uint8Array.prototype.slice.call(data, 1, -1)
  }

  private grew(block: number, entry: Block, bytes: number): void {
    if (this.blocks.get(block) !== entry) return
    entry.bytes = bytes
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

const COMMA = Buffer.from(",")

const tagOf = ({ version, max_number }: DirectoryState): string => `"${version.toString(36)}-${max_number.toString(36)}"`
