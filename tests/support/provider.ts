/**
 * A stand-in for the mail provider that speaks its protocols: SNS's host over TLS, with certificates by an authority of
 * the tests, and with confirmations; SES and S3 over HTTP; and notifications with SNS's signatures.
 */
import { randomUUID, sign } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import type { AddressInfo, Server } from "node:net"
import { authority, type Authority, type Issued } from "./certificates.ts"

export const TOPIC = "arn:aws:sns:eu-central-1:123456789012:hub-mail"

export type Served = (request: IncomingMessage, response: ServerResponse) => void

export const serving =
  (body: string | Buffer, status = 200, headers: Readonly<Record<string, string>> = {}): Served =>
  (_request, response) => {
    response.writeHead(status, headers)
    response.end(body)
  }

export interface Asked {
  readonly method: string
  readonly path: string
  readonly body: string
}

/** The members of a message from SNS. */
export type Told = Readonly<Record<string, unknown>>

const IN_ORDER = ["Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]

const listening = (server: Server): Promise<void> =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
const ended = (server: Server & { readonly closeAllConnections: () => void }): Promise<void> => {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

export class Provider {
  readonly authority: Authority = authority("Authority of the tests")
  readonly signer: Issued = this.authority.issue({ names: ["sns.amazonaws.com"] })
  /** The files at SNS's host, by path without query. */
  readonly files = new Map<string, Served>()
  /** Paths that were fetched from SNS's host. */
  readonly fetched: Array<string> = []
  /** Requests to SES and S3 in order. */
  readonly asked: Array<Asked> = []
  /** Answers of SES and S3, by method and path. */
  readonly answers = new Map<string, Served>()
  private readonly secure
  private readonly plain = createServer((request, response) => void this.#answer(request, response))

  private constructor() {
    const { cert, key } = this.authority.issue({ names: ["localhost", "127.0.0.1"] })
    this.secure = createSecureServer({ cert, key }, (request, response) => {
      this.fetched.push(request.url ?? "")
      const served = this.files.get((request.url ?? "").split("?")[0] ?? "") ?? serving("", 404)
      served(request, response)
    })
    this.files.set("/SimpleNotificationService-1.pem", serving(this.signer.cert))
    this.files.set("/", serving("<ConfirmSubscriptionResponse/>"))
  }

  static async open(): Promise<Provider> {
    const provider = new Provider()
    await Promise.all([listening(provider.secure), listening(provider.plain)])
    return provider
  }

  async stop(): Promise<void> {
    await Promise.all([ended(this.secure), ended(this.plain)])
  }

  get host(): string {
    return `localhost:${(this.secure.address() as AddressInfo).port}`
  }

  get url(): string {
    return `http://127.0.0.1:${(this.plain.address() as AddressInfo).port}`
  }

  get env(): Readonly<Record<string, string>> {
    return {
      HUB_MAIL_PROVIDER: "ses",
      HUB_SES_TOPICS: TOPIC,
      HUB_SES_CERT_HOSTS: this.host,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "AKIDOFTHETESTS",
      AWS_SECRET_ACCESS_KEY: "secret-of-the-tests",
      AWS_ENDPOINT_URL_SESV2: this.url,
      AWS_ENDPOINT_URL_S3: this.url
    }
  }

  certUrl(name = "1"): string {
    return `https://${this.host}/SimpleNotificationService-${name}.pem`
  }

  /** A message with SNS's signature. The given members replace the usual ones. */
  signed(
    given: Told,
    { version = "2", by = this.signer }: { readonly version?: string; readonly by?: Issued } = {}
  ): Told {
    const told: Told = {
      Type: "Notification",
      MessageId: randomUUID(),
      TopicArn: TOPIC,
      Message: "{}",
      Timestamp: new Date().toISOString(),
      SignatureVersion: version,
      SigningCertURL: this.certUrl(),
      ...given
    }
    const text = IN_ORDER.filter((name) => told[name] !== undefined)
      .map((name) => `${name}\n${String(told[name])}\n`)
      .join("")
    const signature = sign(version === "1" ? "sha1" : "sha256", Buffer.from(text), by.privateKey)
    return { ...told, Signature: signature.toString("base64") }
  }

  subscription(given: Told = {}): Told {
    const query = new URLSearchParams({ Action: "ConfirmSubscription", TopicArn: TOPIC, Token: "token-1" })
    return this.signed({
      Type: "SubscriptionConfirmation",
      Message: "You have chosen to subscribe.\nTo confirm, visit the address.",
      Token: "token-1",
      SubscribeURL: `https://${this.host}/?${query}`,
      ...given
    })
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString("utf8")
    const path = (request.url ?? "").split("?")[0] ?? ""
    const { method = "" } = request
    this.asked.push({ method, path, body })
    const served = this.answers.get(`${method} ${path}`) ?? serving("", 404)
    served(request, response)
  }
}
