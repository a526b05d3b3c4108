/**
 * A stand-in for browsers' push services (RFC 8030), and for the browsers behind them, which can decrypt the messages.
 */
import { createECDH, randomBytes } from "node:crypto"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import ece from "http_ece"
import { waitFor } from "../harness/index.ts"

interface Pushed {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** The message that a service worker gets. */
export interface Shown {
  readonly title: string
  readonly body: string
  readonly tag: string
  readonly url: string
}

export class PushService {
  readonly pushed: Array<Pushed> = []
  /** The next answers by path, used before the usual 201. */
  readonly faults = new Map<string, Array<number>>()
  readonly #server = createServer((request, response) => {
    void request.toArray().then((parts) => {
      const path = request.url ?? ""
      this.pushed.push({ path, headers: request.headers, body: Buffer.concat(parts) })
      response.statusCode = this.faults.get(path)?.shift() ?? 201
      if (response.statusCode === 503) response.setHeader("retry-after", "1")
      response.end()
    })
  })

  static async open(): Promise<PushService> {
    const service = new PushService()
    await new Promise<void>((resolve) => service.#server.listen(0, "127.0.0.1", resolve))
    return service
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  browser(): PushedBrowser {
    return new PushedBrowser(this)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

export class PushedBrowser {
  readonly path = `/push/${randomBytes(12).toString("hex")}`
  readonly #service: PushService
  readonly #pair = createECDH("prime256v1")
  readonly #auth = randomBytes(16).toString("base64url")

  constructor(service: PushService) {
    this.#service = service
    this.#pair.generateKeys()
  }

  /** The fields that the page sends to the service. */
  get fields(): { readonly endpoint: string; readonly p256dh: string; readonly auth: string } {
    const p256dh = this.#pair.getPublicKey("base64url")
    return { endpoint: this.#service.origin + this.path, p256dh, auth: this.#auth }
  }

  get pushed(): ReadonlyArray<Pushed> {
    return this.#service.pushed.filter(({ path }) => path === this.path)
  }

  read({ body }: Pushed): Shown {
    const plain = ece.decrypt(body, { version: "aes128gcm", privateKey: this.#pair, authSecret: this.#auth })
    return JSON.parse(plain.toString("utf8")) as Shown
  }

  get shown(): ReadonlyArray<Shown> {
    return this.pushed.map((one) => this.read(one))
  }

  /** Waits for the message whose text contains `part`. */
  told(part: string): Promise<Shown> {
    const found = () => this.shown.find(({ title, body }) => `${title} ${body}`.includes(part)) ?? null
    return waitFor(() => Promise.resolve(found()), { describe: `a push message with ${part}` })
  }

  fails(...statuses: ReadonlyArray<number>): void {
    this.#service.faults.set(this.path, [...statuses])
  }
}
