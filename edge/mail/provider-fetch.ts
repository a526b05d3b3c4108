/**
 * Fetches from the provider: its certificates, and the confirmation of a subscription.
 *
 * Invariants
 *  - Requests use TLS, with a certificate for that host from an authority that this process trusts. They are sent once:
 *    redirects are not followed, and nothing is repeated.
 *  - The size, the time, and the number of simultaneous requests are bounded.
 */
import { request } from "node:https"

export interface FetchBounds {
  readonly certificate_max_bytes: number
  readonly certificate_fetch_ms: number
  readonly certificate_fetches_max: number
}

const HEADERS_MAX_BYTES = 16_384

export class ProviderFetch {
  private readonly bounds: FetchBounds
  private underWay = 0

  constructor(bounds: FetchBounds) {
    this.bounds = bounds
  }

  /** Resolves to the body of a good answer. Rejects for any other answer, or if none comes in time. */
  async get(address: string): Promise<Buffer> {
    const { certificate_fetches_max } = this.bounds
    if (this.underWay >= certificate_fetches_max) throw new Error("too many fetches at once")
    this.underWay += 1
    try {
      return await this.fetched(address)
    } finally {
      this.underWay -= 1
    }
  }

  private fetched(address: string): Promise<Buffer> {
    const { certificate_max_bytes, certificate_fetch_ms } = this.bounds
    return new Promise((resolve, reject) => {
      const outgoing = request(address, {
        // The message chooses the server, so no connection to it is kept open or used again.
        agent: false,
        headers: { accept: "*/*", connection: "close" },
        maxHeaderSize: HEADERS_MAX_BYTES,
        minVersion: "TLSv1.2",
        signal: AbortSignal.timeout(certificate_fetch_ms)
      })
      outgoing.on("response", (incoming) => {
        const fail = (why: string): void => {
          reject(new Error(why))
          incoming.destroy()
        }
        const { statusCode = 0 } = incoming
        if (statusCode < 200 || statusCode >= 300) return fail(`status ${statusCode}`)
        const chunks: Array<Buffer> = []
        let size = 0
        incoming.on("data", (chunk: Buffer) => {
          size += chunk.length
          if (size > certificate_max_bytes) return fail("too large")
          chunks.push(chunk)
        })
        incoming.on("error", reject)
        incoming.on("aborted", () => fail("it broke off"))
        incoming.on("end", () => resolve(Buffer.concat(chunks)))
      })
      outgoing.on("error", reject)
      outgoing.end()
    })
  }
}
