/**
 * `smtp-server` with a place for each connection from its first moment. The library asks `onConnect` only 100 ms after
 * a client has connected, and connections that wait for that would count for nobody.
 *
 * Invariant: at most `LEAVING_MAX` refused connections wait for their client to read why. Further ones just end.
 */
import { randomUUID } from "node:crypto"
import type { Socket } from "node:net"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import type { Clock } from "effect"
import { after } from "../../../schemas/runtime/clock.ts"
import { LEAVING_MAX } from "../../../schemas/runtime/places.ts"
import type { Places } from "./places.ts"

export const BUSY = "4.3.2 Too much at once, come again"

const LEAVING_MS = 2000

export class Entrance extends SMTPServer {
  private readonly clock: Clock.Clock
  private readonly places: Places
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
    super.connect(socket, { id })
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
