/**
 * Places of a server for connections. Whoever connects and sends no whole request holds a place only while there is
 * room: then its connection ends, and one that asks has the place.
 *
 * Invariants
 *  - A connection with a whole request under way is never ended here. All others may be: half-open ones, and ones that
 *    are idle between two requests.
 *  - The client with most of those loses its oldest one. So a flood from one address ends its own connections.
 *  - Each step takes the same time, however many connections there are.
 */

/** A connection, as Node's `net.Socket` is one. */
export interface Connection {
  destroy(): unknown
  once(event: "close", listener: () => void): unknown
}

interface Held {
  readonly client: string
  readonly gone: () => void
  /** Whole requests under way. */
  requests: number
}

export class Connections<Socket extends Connection> {
  private readonly held = new Map<Socket, Held>()
  /** By client, those without a whole request, the oldest first. */
  private readonly waiting = new Map<string, Set<Socket>>()
  /** At each index, the clients that have so many of these. */
  private readonly clients: Array<Set<string>> = []
  private most = 0

  get size(): number {
    return this.held.size
  }

  /** Connections without a whole request, of the client with most of them. */
  get mostWaiting(): number {
    return this.most
  }

  /** `gone`: called once, when it has ended. */
  meet(socket: Socket, client: string, gone: () => void): void {
    this.held.set(socket, { client, gone, requests: 0 })
    this.waits(client, socket)
    socket.once("close", () => this.left(socket))
  }

  /** A request is whole. Returns what to call once it is answered. */
  asks(socket: Socket): () => void {
    const held = this.held.get(socket)
    if (held === undefined) return () => undefined
    if (held.requests++ === 0) this.waitsNot(held.client, socket)
    return () => {
      if (--held.requests === 0 && this.held.has(socket)) this.waits(held.client, socket)
    }
  }

  /** Ends the oldest one without a whole request, of a client or of the client with most of them. */
  endOldest(client = this.clients[this.most]?.values().next().value ?? ""): void {
    const oldest = this.waiting.get(client)?.values().next().value
    if (oldest === undefined) return
    this.left(oldest)
    oldest.destroy()
  }

  private left(socket: Socket): void {
    const held = this.held.get(socket)
    if (held === undefined) return
    this.held.delete(socket)
    this.waitsNot(held.client, socket)
    held.gone()
  }

  private waits(client: string, socket: Socket): void {
    const own = this.waiting.get(client) ?? new Set()
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

/** Room for connections that are being ended, so that the server itself turns nobody away. */
export const LEAVING_MAX = 64

/** `max` places, at most `clientMax` of them for one client. */
export class Places<Socket extends Connection> {
  private readonly connections = new Connections<Socket>()
  private readonly of = new Map<string, number>()
  private readonly max: number
  private readonly clientMax: number

  constructor(max: number, clientMax: number) {
    this.max = max
    this.clientMax = clientMax
  }

  /** A connection has come. It ends itself where every other one has a request under way. */
  meet(socket: Socket, client: string): void {
    const own = (this.of.get(client) ?? 0) + 1
    this.of.set(client, own)
    this.connections.meet(socket, client, () => this.left(client))
    if (own > this.clientMax) this.connections.endOldest(client)
    else if (this.connections.size > this.max) this.connections.endOldest()
  }

  /** A request is whole. Returns what to call once it is answered. */
  asks(socket: Socket): () => void {
    return this.connections.asks(socket)
  }

  private left(client: string): void {
    const others = (this.of.get(client) ?? 1) - 1
    if (others > 0) this.of.set(client, others)
    else this.of.delete(client)
  }
}
