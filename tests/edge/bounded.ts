/** An edge with short deadlines, and plain lines to it. */
import { connect, type Socket } from "node:net"
import { once } from "node:events"
import { waitFor } from "../harness/index.ts"
import { openWorld, type World } from "./edge.ts"

/** Contract 21: of most endpoints, of those that take a text of 100,000 characters, and of whatever is sent. */
export const PLAIN = 65_536

export const TEXT = 1_572_864
export const WHOLE = 10_551_296
export let world: World

export const openBounded = async () => {
  world = await openWorld({
    limits: {
      "service.body_timeout_ms": 400,
      "service.headers_timeout_ms": 600,
      "service.max_buffered_body_bytes": 18_000_000,
      "service.request_deadline_ms": 1_500
    }
  })
}

interface Told {
  readonly error?: { readonly code: string; readonly details?: unknown; readonly doc_url?: string }
}

/** A plain line to the edge, to say what no HTTP client would. */
export class Line {
  received = ""
  closed = false
  readonly socket: Socket

  private constructor(socket: Socket) {
    this.socket = socket
    socket.on("data", (chunk: Buffer) => {
      this.received += chunk.toString("latin1")
    })
    socket.on("close", () => {
      this.closed = true
    })
    socket.on("error", () => undefined)
  }

  static async open(port = world.edge.port): Promise<Line> {
    const socket = connect(port, "127.0.0.1")
    await once(socket, "connect")
    return new Line(socket)
  }

  write(text: string): this {
    this.socket.write(text)
    return this
  }

  /** The body of the first answer, once it is whole. */
  async answer(): Promise<{ status: number; head: string; json: Told }> {
    const body = await waitFor(() => /\r\n\r\n(\{.*\})/s.exec(this.received)?.[1], {
      describe: "an answer on the line"
    })
    return {
      status: Number(this.received.slice(9, 12)),
      head: this.received.split("\r\n\r\n")[0] ?? "",
      json: JSON.parse(body) as Told
    }
  }

  async ended(): Promise<void> {
    await waitFor(() => this.closed, { describe: "the edge to close the line" })
  }
}

export const challenge = (more: string): string =>
  `POST /api/v1/register/challenge HTTP/1.1\r\nHost: x\r\n${more}\r\n\r\n`

export const linesOf = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")

export const patch = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
  world.edge.call("/api/v1/me", { method: "PATCH", body, headers, signed: world.agent })
