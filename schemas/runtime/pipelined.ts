/**
 * Limits the requests that one connection may have under way. Node passes on all that a client sends at once.
 *
 * Invariants
 *  - A request too many is refused, behind the answers of those before it, and the connection closes with the refusal.
 *    Further requests get no answer: the client sees `Connection: close` and sends them again (RFC 9112 9.3.2).
 *  - Node reads nothing of what a client sends behind a request with `Upgrade` in the same packet. This service speaks
 *    no other protocol, so the connection closes with that request's answer.
 *  - Requests without an answer take memory until their connection closes, but not for their headers. So a connection
 *    with more than `IGNORED_OF_ONE_MAX` of them ends immediately. If all connections together have `IGNORED_MAX` of
 *    them, the connection with the most ends. No answer is waited for, because a client that reads nothing would never
 *    take it.
 */

/** Requests that one connection may have under way. */
export const PIPELINED_MAX = 32
/** About 40 MB, whatever the size of their headers. */
const IGNORED_MAX = 16_384
/**
 * Enough for a client that sent a few requests too many. Node parses up to 64 KB, about 2,400 small requests, before it
 * sees that the connection has ended.
 */
export const IGNORED_OF_ONE_MAX = 512

interface Socket {
  /** A field of Node's: the answer that is being written. */
  readonly _httpMessage?: { readonly writableEnded: boolean } | null
  destroy(): unknown
  once(event: "close", listener: () => void): unknown
}

interface Answer {
  /** A field of Node's: false if the answer says `Connection: close`. */
  shouldKeepAlive: boolean
  once(event: "close", listener: () => void): unknown
}

/** Node keeps each request until the answers before it are sent. */
interface Request {
  url?: string | undefined
  headers: { readonly upgrade?: string | undefined }
  readonly rawHeaders: Array<string>
}

interface PipelineState {
  underWay: number
  ignored: number
  isClosing: boolean
}

/** `refuse`: answer with a refusal that closes the connection. `ignore`: answer nothing. */
export type Admission = "admit" | "refuse" | "ignore"

/** A client may have read an answer, and asked again, before Node says that it was sent. */
const beingSent = ({ _httpMessage }: Socket): number => (_httpMessage?.writableEnded === true ? 1 : 0)

export class Pipelined {
  private readonly held = new WeakMap<Socket, PipelineState>()
  private readonly max: number
  private readonly closing = new Map<Socket, PipelineState>()
  private ignored = 0

  constructor(max = IGNORED_MAX) {
    this.max = max
  }

  /** Called for each request when its header is complete. */
  admit(socket: Socket, answer: Answer, request: Request): Admission {
    const held = this.heldBy(socket)
    if (held.isClosing) return this.ignore(socket, held, request)
    if (held.underWay - beingSent(socket) >= PIPELINED_MAX) {
      held.isClosing = true
      return "refuse"
    }
    if (request.headers.upgrade !== undefined) {
      held.isClosing = true
      answer.shouldKeepAlive = false
    }
    held.underWay++
    answer.once("close", () => held.underWay--)
    return "admit"
  }

  private heldBy(socket: Socket): PipelineState {
    const known = this.held.get(socket)
    if (known !== undefined) return known
    const held: PipelineState = { underWay: 0, ignored: 0, isClosing: false }
    this.held.set(socket, held)
    socket.once("close", () => this.forget(socket, held))
    return held
  }

  private ignore(socket: Socket, held: PipelineState, request: Request): "ignore" {
    request.url = ""
    request.headers = {}
    request.rawHeaders.length = 0
    held.ignored++
    this.ignored++
    this.closing.set(socket, held)
    if (held.ignored > IGNORED_OF_ONE_MAX) this.end(socket, held)
    else if (this.ignored > this.max) this.endOne()
    return "ignore"
  }

  private endOne(): void {
    const [most] = [...this.closing].toSorted(([, one], [, other]) => other.ignored - one.ignored)
    if (most === undefined) return
    this.end(...most)
  }

  private end(socket: Socket, held: PipelineState): void {
    this.forget(socket, held)
    socket.destroy()
  }

  private forget(socket: Socket, held: PipelineState): void {
    this.ignored -= held.ignored
    held.ignored = 0
    this.closing.delete(socket)
  }
}
