/** One HTTP exchange without redirects and retries. Only JSON is decoded. */
import { Agent, request } from "node:http"
import type { IncomingHttpHeaders } from "node:http"

/** Only a request that hangs takes this long: it is longer than the deadline of a request on a system under test. */
const TIMEOUT_MS = 100_000
const SOCKETS_MAX = 256

const keepAlive = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX })

export interface Exchange {
  /** Address of an edge, such as http://127.0.0.1:8080. */
  readonly edge: string
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

interface Envelope {
  readonly ok: boolean
  readonly data?: unknown
  readonly meta?: { readonly page: number; readonly per_page: number; readonly total: number; readonly pages: number }
  readonly error?: {
    readonly code: string
    readonly message: string
    readonly details: Readonly<Record<string, unknown>>
  }
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly bytes: Buffer
  /** Throws if the body is not JSON. */
  readonly json: Envelope
  /** The envelope's error code. Empty if there is none. */
  readonly code: string
}

class Received implements Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer

  constructor(status: number, headers: IncomingHttpHeaders, bytes: Buffer) {
    this.status = status
    this.headers = headers
    this.bytes = bytes
  }

  get text(): string {
    return this.bytes.toString("utf8")
  }

  get json(): Envelope {
    return JSON.parse(this.text) as Envelope
  }

  get code(): string {
    return this.status >= 400 && this.text !== "" ? (this.json.error?.code ?? "") : ""
  }
}

/** Rejects with the socket's own error. */
export function send(exchange: Exchange): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { body = "" } = exchange
    const target = new URL(exchange.edge)
    const length = Buffer.byteLength(body)
    const outgoing = request({
      agent: keepAlive,
      host: target.hostname,
      port: target.port,
      method: exchange.method,
      path: exchange.path,
      headers: {
        ...(length > 0 ? { "content-type": "application/json", "content-length": length } : {}),
        ...exchange.headers
      },
      timeout: TIMEOUT_MS
    })
    outgoing.on("response", (incoming) => {
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
      incoming.on("error", reject)
      incoming.on("end", () => resolve(new Received(incoming.statusCode ?? 0, incoming.headers, Buffer.concat(chunks))))
    })
    outgoing.on("timeout", () => outgoing.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)))
    outgoing.on("error", reject)
    outgoing.end(body)
  })
}
