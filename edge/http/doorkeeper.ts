/**
 * Decides whether a client may have one more connection (contract 21: 1,024 for a client, which is an IPv4 address or
 * an IPv6 /64).
 *
 * Invariants
 *  - If the socket identifies its client, the client's connections are counted. Behind a proxy, which limits
 *    connections itself, the client's requests under way are counted.
 *  - If an edge is short of places, a client with many connections loses some to clients with fewer. It is the client
 *    with the most waiting connections: those without a complete request, or with an unread answer.
 *  - A refused connection gets an answer, if fewer than `LINGERING_MAX` refused ones are open. Otherwise it just ends.
 *  - Requests that come at once on one connection are bounded too (schemas/runtime/pipelined.ts).
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Refusal } from "../../schemas/errors.ts"
import type { Clients } from "./address.ts"
import { type Outside, refusalOutside, refuseOn } from "./raw-answer.ts"
import type { Network } from "./address.ts"
import type { Shares } from "./shares.ts"
import { onWhole } from "./whole.ts"
import { after } from "../../schemas/runtime/clock.ts"
import { Pipelined, PIPELINED_MAX } from "../../schemas/runtime/pipelined.ts"
import { Connections } from "../../schemas/runtime/places.ts"

/** The most connections that have been refused but have not closed. */
export const LINGERING_MAX = 64
const CLOSE_WITHIN_MS = 2_000

const tooManyRequests: Refusal = {
  code: "overloaded",
  message: `A connection may have ${PIPELINED_MAX} requests under way. Wait for answers, then send the others again.`,
  retryAfter: 1
}
const tooMany: Refusal = { code: "overloaded", message: "You have too many connections at once.", retryAfter: 5 }

export interface DoorParts extends Outside {
  readonly clients: Clients
  readonly connections: Shares
}

export class Doorkeeper {
  private readonly outside: Outside
  private readonly clients: Clients
  private readonly connections: Shares
  private readonly sockets: Connections<Socket>
  private readonly pipelined: Pipelined
  private lingering = 0

  constructor({ clock, docUrls, clients, connections }: DoorParts) {
    this.outside = { clock, docUrls }
    this.pipelined = new Pipelined(clock)
    this.clients = clients
    this.connections = connections
    this.sockets = new Connections(clock)
  }

  /** Called for each new connection. */
  meet(socket: Socket): void {
    this.pipelined.meet(socket)
    // A proxy's connections count for no client.
    if (!this.clients.direct) return this.sockets.meet(socket, "", () => undefined)
    const network = this.clients.at(socket.remoteAddress ?? "")
    while (!this.connections.take(network, 1)) if (!this.makeRoom(network)) return this.turnAway(socket)
    this.sockets.meet(socket, network.client, () => this.connections.give(network, 1))
  }

  /**
   * Ends one connection of the client with the most waiting ones, if those are more than all connections of this
   * client.
   */
  private makeRoom(network: Network): boolean {
    const own = this.connections.heldBy(network)
    if (own >= this.connections.clientMax || this.sockets.mostWaiting <= own) return false
    this.sockets.endOldest()
    return true
  }

  /** True if a request may go on. If not, it has been answered with a refusal. */
  admits(request: IncomingMessage, response: ServerResponse): boolean {
    if (!this.pipelined.admits(request.socket, response, request)) {
      this.refuse(response, tooManyRequests)
      return false
    }
    if (this.clients.direct) {
      onWhole(request, response, (socket) => this.sockets.asks(socket))
      return true
    }
    const network = this.clients.of(request)
    if (!this.connections.take(network, 1)) {
      this.refuse(response, tooMany)
      return false
    }
    response.once("close", () => this.connections.give(network, 1))
    return true
  }

  private refuse(response: ServerResponse, refused: Refusal): void {
    const { status, headers, body } = refusalOutside(this.outside, refused)
    response.writeHead(status, headers).end(body)
  }

  private turnAway(socket: Socket): void {
    this.pipelined.close(socket)
    if (this.lingering === LINGERING_MAX) {
      socket.destroy()
      return
    }
    this.lingering++
    const cancel = after(this.outside.clock, CLOSE_WITHIN_MS, () => socket.destroy())
    socket.once("close", () => {
      cancel()
      this.lingering--
    })
    refuseOn(this.outside, socket, tooMany)
  }
}
