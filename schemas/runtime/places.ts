/**
 * Places of a server for connections. A client that connects and sends no complete request keeps its place only while
 * there is room. Otherwise its connection is ended, and a client that sends a request gets the place.
 *
 * Invariants
 *  - A connection with a complete request under way may not be ended for another one, unless its client has stopped
 *    reading. Half-open connections, and those that are idle between two requests, may be ended.
 *  - A client that reads no byte of an answer for `UNREAD_MAX_MS` loses its connection.
 *  - The client with the most connections that may be ended loses its oldest one. So a flood from one address ends its
 *    own connections.
 *  - Each step takes the same time, however many connections there are. Only the periodic check of all connections
 *    takes longer with more of them.
 */
import type { Clock } from "effect"
import { type Cancel, every } from "./clock.ts"

/**
 * The time between two checks of who reads. Checks are counted and not timed, so that a busy process does not blame its
 * clients.
 */
const LOOK_MS = 500
const GIVES_WAY_LOOKS = 2
/** The system accepts more of an answer only when a part of its buffer is free. A slow client needs time for that. */
export const UNREAD_MAX_MS = 60_000

/** A connection with the parts of Node's `net.Socket` that are used here. */
export interface Connection {
  readonly destroyed: boolean
  /** Bytes of answers that the operating system has not accepted yet. */
  readonly writableLength: number
  /** A private part of Node's socket. Only it shows how much of one long write has been sent. */
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null
  destroy(): unknown
  once(event: "close", listener: () => void): unknown
}

interface HeldPlace {
  readonly client: string
  readonly gone: () => void
  /** Complete requests under way. */
  requests: number
  /** Bytes that the operating system has accepted. */
  taken: number
  /** Checks since the system last took any of the waiting bytes. */
  unread: number
}

const takenBy = ({ _handle }: Connection): number => (_handle ? _handle.bytesWritten - _handle.writeQueueSize : 0)

export class Connections<Socket extends Connection> {
  private readonly held = new Map<Socket, HeldPlace>()
  /** For each client, the connections that may be ended, the oldest first. */
  private readonly waiting = new Map<string, Set<Socket>>()
  /** At each index, the clients with that number of such connections. */
  private readonly clients: Array<Set<string>> = []
  private most = 0
  private readonly clock: Clock.Clock
  private stopLooking: Cancel | undefined

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  get size(): number {
    return this.held.size
  }

  /** The number of connections that may be ended, of the client with the most of them. */
  get mostWaiting(): number {
    return this.most
  }

  /** `gone` is called once, when the connection has ended. */
  meet(socket: Socket, client: string, gone: () => void): void {
    this.held.set(socket, { client, gone, requests: 0, taken: 0, unread: 0 })
    this.stopLooking ??= every(this.clock, LOOK_MS, () => this.look(), "unref")
    this.waits(client, socket)
    socket.once("close", () => this.left(socket))
  }

  /** Called when a request is complete. Returns a function to call once it is answered. */
  asks(socket: Socket): () => void {
    const held = this.held.get(socket)
    if (held === undefined) return () => undefined
    if (held.requests++ === 0) this.waitsNot(held.client, socket)
    return () => {
      if (--held.requests > 0 || !this.held.has(socket)) return
      this.waitsNot(held.client, socket)
      this.waits(held.client, socket)
    }
  }

  /** Ends the oldest connection that may be ended, of the given client or of the client with the most of them. */
  endOldest(client = this.clients[this.most]?.values().next().value ?? ""): void {
    const oldest = this.waiting.get(client)?.values().next().value
    if (oldest !== undefined) this.end(oldest)
  }

  private look(): void {
    for (const [socket, held] of this.held) {
      const taken = takenBy(socket)
      if (socket.writableLength === 0 || taken !== held.taken) {
        if (held.unread >= GIVES_WAY_LOOKS && held.requests > 0) this.waitsNot(held.client, socket)
        held.taken = taken
        held.unread = 0
      } else if (++held.unread === GIVES_WAY_LOOKS) this.waits(held.client, socket)
      else if (held.unread >= UNREAD_MAX_MS / LOOK_MS) this.end(socket)
    }
  }

  private end(socket: Socket): void {
    this.left(socket)
    socket.destroy()
  }

  private left(socket: Socket): void {
    const held = this.held.get(socket)
    if (held === undefined) return
    this.held.delete(socket)
    this.waitsNot(held.client, socket)
    held.gone()
    if (this.held.size > 0) return
    this.stopLooking?.()
    this.stopLooking = undefined
  }

  private waits(client: string, socket: Socket): void {
    const own = this.waiting.get(client) ?? new Set()
    if (own.has(socket)) return
    this.waiting.set(client, own.add(socket))
    this.moved(client, own.size - 1, own.size)
  }

  private waitsNot(client: string, socket: Socket): void {
    const own = this.waiting.get(client)
    if (own === undefined || !own.delete(socket)) return
    if (own.size === 0) this.waiting.delete(client)
    this.moved(client, own.size + 1, own.size)
  }

  private moved(client: string, before: number, after: number): void {
    this.clients[before]?.delete(client)
    if (after > 0) (this.clients[after] ??= new Set()).add(client)
    this.most = Math.max(this.most, after)
    while (this.most > 0 && (this.clients[this.most]?.size ?? 0) === 0) this.most--
  }
}

/** Room for connections that are being ended, so that the server itself refuses none. */
export const LEAVING_MAX = 64

/** `max` places, at most `clientMax` of them for one client. */
export class Places<Socket extends Connection> {
  private readonly connections: Connections<Socket>
  private readonly of = new Map<string, number>()
  private readonly max: number
  private readonly clientMax: number

  constructor(max: number, clientMax: number, clock: Clock.Clock) {
    this.connections = new Connections(clock)
    this.max = max
    this.clientMax = clientMax
  }

  /** Called for each new connection. If all others have a request under way, the new one itself is ended. */
  meet(socket: Socket, client: string): void {
    const own = (this.of.get(client) ?? 0) + 1
    this.of.set(client, own)
    this.connections.meet(socket, client, () => this.left(client))
    if (own > this.clientMax) this.connections.endOldest(client)
    else if (this.connections.size > this.max) this.connections.endOldest()
  }

  /** Called when a request is complete. Returns a function to call once it is answered. */
  asks(socket: Socket): () => void {
    return this.connections.asks(socket)
  }

  private left(client: string): void {
    const others = (this.of.get(client) ?? 1) - 1
    if (others > 0) this.of.set(client, others)
    else this.of.delete(client)
  }
}
