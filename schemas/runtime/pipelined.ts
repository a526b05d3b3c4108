/**
 * Limits the requests that one connection may have under way. Node passes on all that a client sends at once, and keeps
 * each request until its connection closes.
 *
 * Invariants
 *  - A request too many is refused, behind the answers of those before it, and the connection closes with the refusal.
 *    Further requests get no answer: the client sees `Connection: close` and sends them again (RFC 9112 9.3.2).
 *  - Node parses up to 64 KB at once, some 2,400 small requests. If the connection closes or has ended, it parses no
 *    further request: it reads the bytes and drops them. So the memory of a connection is that of `PIPELINED_MAX`
 *    requests, however many it sends, and however many connections send at the same time.
 *  - A connection ends within `LOOK_MS` once more than `DROPPED_MAX_BYTES` of it were dropped.
 *  - Node drops the bytes behind a request with `Upgrade` in the same packet. This service speaks no other protocol, so
 *    the connection closes with that request's answer.
 */
import type { Clock } from "effect"
import { every } from "./clock.ts"

/** Requests that one connection may have under way. */
export const PIPELINED_MAX = 32
/** Enough for a client that sent some requests too many, and reads the answers to the others. */
const DROPPED_MAX_BYTES = 4_194_304
const LOOK_MS = 1000
/** Returned to Node's parser, which then treats the request as an upgrade and parses no further bytes. */
const UPGRADED = 2

/** A field of Node's. Its function is called with each request, when the header is complete. */
interface Parser {
  onIncoming: (request: unknown, shouldKeepAlive: boolean) => number
}

interface Socket {
  readonly parser?: Parser | null
  /** A field of Node's: the answer that is being written. */
  readonly _httpMessage?: { readonly writableEnded: boolean } | null
  readonly destroyed: boolean
  readonly bytesRead: number
  destroy(): unknown
  once(event: "close", listener: () => void): unknown
}

interface Answer {
  /** A field of Node's: false if the answer says `Connection: close`. */
  shouldKeepAlive: boolean
  once(event: "close", listener: () => void): unknown
}

interface Request {
  readonly headers: { readonly upgrade?: string | undefined }
}

interface PipelineState {
  underWay: number
  isWatched: boolean
  isClosing: boolean
}

/** A client may have read an answer, and asked again, before Node says that it was sent. */
const beingSent = ({ _httpMessage }: Socket): number => (_httpMessage?.writableEnded === true ? 1 : 0)

export class Pipelined {
  private readonly held = new WeakMap<object, PipelineState>()
  private readonly clock: Clock.Clock

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /** Called for each new connection, by a listener for `connection`. */
  meet(connection: object): void {
    const socket = connection as Socket
    const held: PipelineState = { underWay: 0, isWatched: false, isClosing: false }
    this.held.set(connection, held)
    const { parser } = socket
    if (parser === undefined || parser === null) throw new Error("Node's HTTP server has no parser on its connections")
    const { onIncoming } = parser
    parser.onIncoming = (request, shouldKeepAlive) => {
      if (!held.isClosing && !socket.destroyed) return onIncoming(request, shouldKeepAlive)
      if (!held.isWatched) this.watch(socket, held)
      return UPGRADED
    }
  }

  /** Ends the connection if its client does not stop sending. */
  private watch(socket: Socket, held: PipelineState): void {
    held.isWatched = true
    const from = socket.bytesRead
    const cancel = every(
      this.clock,
      LOOK_MS,
      () => {
        if (socket.bytesRead - from > DROPPED_MAX_BYTES) socket.destroy()
      },
      "unref"
    )
    socket.once("close", cancel)
  }

  /** Marks the connection as closing, so that no further request of it is parsed. */
  close(socket: object): void {
    const held = this.held.get(socket)
    if (held !== undefined) held.isClosing = true
  }

  /** Called for each request. If false, its answer must be a refusal that closes the connection. */
  admits(connection: object, answer: Answer, request: Request): boolean {
    const held = this.held.get(connection)
    if (held === undefined) throw new Error("a connection that was not met")
    if (held.underWay - beingSent(connection as Socket) >= PIPELINED_MAX) {
      held.isClosing = true
      return false
    }
    if (request.headers.upgrade !== undefined) {
      held.isClosing = true
      answer.shouldKeepAlive = false
    }
    held.underWay++
    answer.once("close", () => held.underWay--)
    return true
  }
}
