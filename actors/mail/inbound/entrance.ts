/**
 * `smtp-server` with a place for each connection from its first moment. The library asks `onConnect` only 100 ms after
 * a client has connected, and would not count connections that wait for that.
 *
 * Invariants
 *  - At most `LEAVING_MAX` refused or ended connections wait for their client to read why. Further ones just end.
 *  - The place of a connection is given back by the library's `onClose` too: STARTTLS removes all listeners of the
 *    socket.
 */
import { randomUUID } from "node:crypto"
import type { Socket } from "node:net"
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from "smtp-server"
import type { Clock } from "effect"
import { after } from "../../../schemas/runtime/clock.ts"
import { LEAVING_MAX } from "../../../schemas/runtime/places.ts"
import type { Places } from "./places.ts"

export const BUSY = "4.3.2 Too much at once, come again"

const LEAVING_MS = 2000

export class Entrance extends SMTPServer {
  private readonly clock: Clock.Clock
  private readonly places: Places
  private readonly sockets = new Map<string, Socket>()
  private leaving = 0

  constructor(clock: Clock.Clock, places: Places, options: SMTPServerOptions) {
    super(options)
    this.clock = clock
    this.places = places
  }

  override connect(socket: Socket): void {
    const id = randomUUID()
    if (!this.places.take(id, socket.remoteAddress ?? "")) return this.refuse(socket)
    socket.once("close", () => this.places.give(id))
    this.sockets.set(id, socket)
    super.connect(socket, { id })
  }

  override onClose(session: SMTPServerSession, callback: () => void): void {
    this.sockets.delete(session.id)
    super.onClose(session, callback)
  }

  /** Ends a connection soon. Returns true if there is time to tell its client why. */
  evict(id: string): boolean {
    const socket = this.sockets.get(id)
    if (socket === undefined || this.leaving >= LEAVING_MAX) {
      socket?.destroy()
      return false
    }
    this.leaving++
    after(
      this.clock,
      LEAVING_MS,
      () => {
        this.leaving--
        socket.destroy()
      },
      "unref"
    )
    return true
  }

  private refuse(socket: Socket): void {
    socket.on("error", () => undefined)
    if (this.leaving === LEAVING_MAX) {
      socket.destroy()
      return
    }
    this.leaving++
    const cancel = after(this.clock, LEAVING_MS, () => socket.destroy(), "unref")
    socket.once("close", () => {
      cancel()
      this.leaving--
    })
    socket.end(`421 ${BUSY}\r\n`)
    socket.resume()
  }
}
