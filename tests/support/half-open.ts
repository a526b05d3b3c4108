/** Connections that begin a request and never complete it. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"

/** The head of a GET without its end, and a complete head whose body never comes. */
export const HALVES = {
  head: "GET / HTTP/1.1\r\nHost: x\r\n",
  body: "POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 10\r\n\r\na"
} as const

export class HalfOpen {
  readonly sockets: Array<Socket> = []
  private readonly port: number

  constructor(port: number) {
    this.port = port
  }

  /** Opens connections one after the other. Resolves when each has sent its incomplete request. */
  async open(count: number, half: string = HALVES.head, from = "127.0.0.1"): Promise<void> {
    for (let n = 0; n < count; n++) {
      const socket = connect({ port: this.port, host: "127.0.0.1", localAddress: from })
      this.sockets.push(socket)
      socket.on("error", () => undefined)
      await once(socket, "connect")
      socket.write(half)
    }
  }

  get alive(): number {
    return this.sockets.filter(({ destroyed }) => !destroyed).length
  }

  end(): void {
    for (const socket of this.sockets.splice(0)) socket.destroy()
  }
}
