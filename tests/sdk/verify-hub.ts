/**
 * A hub on loopback for the tests of the website verifier: it answers as the interface says, counts what it is asked,
 * and can be told to answer anything else. Time is the test's own, for the hub and for the verifier alike.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { createVerifier, type PlainRequest, type Verifier, type VerifierOptions } from "../../edge/sdk/verify.ts"

export const HOST = "shop.example"
const START_MS = Date.UTC(2026, 10, 21, 12, 0, 0)

export class TestClock {
  ms = START_MS
  readonly now = (): number => this.ms

  pass(seconds: number): void {
    this.ms += seconds * 1000
  }

  get seconds(): number {
    return Math.floor(this.ms / 1000)
  }
}

export interface KeyPair {
  readonly publicKey: string
  readonly privateKey: KeyObject
}

export const newKey = (): KeyPair => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  return {
    privateKey,
    publicKey: Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url").toString("base64")
  }
}

export interface ProofParts {
  readonly method?: string
  readonly host?: string
  readonly path?: string
  readonly timestamp?: string
  readonly nonce?: string
  readonly key?: KeyPair
}

type Standing = "active" | "suspended" | "banned" | "retired"

export class TestAgent {
  readonly number: number
  readonly handle: string
  standing: Standing
  /** The last one is the current key. */
  keys: Array<{ readonly pair: KeyPair; retiredAt?: string }> = [{ pair: newKey() }]
  private readonly clock: TestClock

  constructor(number: number, clock: TestClock, standing: Standing = "active") {
    this.number = number
    this.clock = clock
    this.standing = standing
    this.handle = `agent-${number}`
  }

  get id(): string {
    return `HX-${String(this.number).padStart(6, "0")}`
  }

  get key(): KeyPair {
    const last = this.keys.at(-1)
    if (last === undefined) throw new Error("an agent has a key")
    return last.pair
  }

  rotate(): void {
    const last = this.keys.at(-1)
    if (last !== undefined) last.retiredAt = new Date(this.clock.ms + this.keys.length).toISOString()
    this.keys.push({ pair: newKey() })
  }

  /** The request with its proof, as a website receives it. */
  request(parts: ProofParts = {}): PlainRequest & { headers: Record<string, string> } {
    const {
      method = "GET",
      host = HOST,
      path = "/offers?page=2",
      timestamp = String(this.clock.seconds),
      nonce = randomUUID(),
      key = this.key
    } = parts
    const text = ["HUB-ID-V1", method.toUpperCase(), host, path, timestamp, nonce].join("\n")
    const signature = sign(null, Buffer.from(text), key.privateKey).toString("base64")
    return {
      method,
      path,
      headers: { "Hub-Id": this.id, "Hub-Timestamp": timestamp, "Hub-Nonce": nonce, "Hub-Signature": signature }
    }
  }

  /** As the directory lists it. */
  entry(base: string): Record<string, unknown> {
    const gone = this.standing === "retired"
    const flagged = this.standing === "suspended" || this.standing === "banned"
    return {
      id: this.id,
      handle: this.handle,
      status: gone ? "retired" : flagged ? "flagged" : "active",
      moderation: flagged ? this.standing : null,
      public_key: gone ? null : this.key.publicKey,
      public_key_jwk: gone ? null : { kty: "OKP", crv: "Ed25519", x: "any", kid: "any", alg: "EdDSA", use: "sig" },
      keys: gone
        ? []
        : this.keys.map(({ pair, retiredAt }) => ({
            public_key: pair.publicKey,
            status: retiredAt === undefined ? "current" : "retired",
            from: "2026-01-01T00:00:00.000Z",
            ...(retiredAt === undefined ? {} : { retired_at: retiredAt })
          })),
      trust: 10 + this.number,
      reputation: -this.number,
      profile_url: gone || this.standing === "banned" ? null : `${base}/agents/${this.handle}`,
      id_url: `${base}/id/${this.id}`
    }
  }

  record(base: string): Record<string, unknown> {
    return { ...this.entry(base), hub_id: "hx0123456789abcdef01234567", name: `Agent ${this.number}` }
  }
}

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

type Answering = (request: Asked, response: ServerResponse) => void

export class TestHub {
  readonly clock = new TestClock()
  readonly agents: Array<TestAgent> = []
  readonly asked: Array<Asked> = []
  /** Answers instead of the hub's own way. */
  answer: Answering | null = null
  serverTimeAhead = 0
  base = ""
  private readonly server: Server
  private readonly verifiers: Array<Verifier> = []

  constructor() {
    this.server = createServer((request, response) => this.receive(request, response))
    // A line that rests is not closed: on a slow machine it rests longer than a client thinks, whose read then fails.
    this.server.keepAliveTimeout = 0
  }

  static async start(): Promise<TestHub> {
    const hub = new TestHub()
    await new Promise<void>((resolve) => hub.server.listen(0, "127.0.0.1", resolve))
    hub.base = `http://127.0.0.1:${(hub.server.address() as AddressInfo).port}`
    return hub
  }

  async stop(): Promise<void> {
    for (const verifier of this.verifiers) verifier.close()
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  agent(standing: Standing = "active", number = this.agents.length + 1): TestAgent {
    const agent = new TestAgent(number, this.clock, standing)
    this.agents.push(agent)
    return agent
  }

  verifier(options: Partial<VerifierOptions> = {}): Verifier {
    // As patient as a slow machine needs it, where a test asks for nothing else.
    const patient = { waitMs: 60_000 }
    const verifier = createVerifier({ hub: this.base, hosts: [HOST], now: this.clock.now, ...patient, ...options })
    this.verifiers.push(verifier)
    return verifier
  }

  directory(): {
    ok: true
    data: { generated_at: string; max_number: number; count: number; agents: Record<string, Record<string, unknown>> }
  } {
    return {
      ok: true,
      data: {
        generated_at: new Date(this.clock.ms).toISOString(),
        max_number: Math.max(0, ...this.agents.map(({ number }) => number)),
        count: this.agents.length,
        agents: Object.fromEntries(this.agents.map((agent) => [agent.id, agent.entry(this.base)]))
      }
    }
  }

  /** How often a path was asked for, whatever its query. */
  count(path: string): number {
    return this.asked.filter(({ url }) => url.split("?")[0] === path).length
  }

  get directoryReads(): number {
    return this.count("/api/v1/id/directory")
  }

  sendJson(
    response: ServerResponse,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
    status = 200
  ): void {
    const text = typeof body === "string" ? body : JSON.stringify(body)
    const time = String(this.clock.seconds + this.serverTimeAhead)
    response.writeHead(status, { "content-type": "application/json", "x-hub-server-time": time, ...headers })
    response.end(text)
  }

  /** As the hub of the interface would. */
  honest: Answering = (request, response) => {
    if (request.url.split("?")[0] === "/api/v1/id/directory") return this.sendDirectory(request, response)
    const agent = this.agents.find(({ id }) => request.url === `/api/v1/id/${id}`)
    if (agent !== undefined) return this.sendJson(response, { ok: true, data: agent.record(this.base) })
    this.sendJson(response, { ok: false, error: { code: "not_found", message: "No such thing." } }, {}, 404)
  }

  private sendDirectory(request: Asked, response: ServerResponse): void {
    const document = this.directory()
    const etag = `"${createHash("sha256").update(JSON.stringify(document.data.agents)).digest("hex").slice(0, 16)}"`
    if (request.headers["if-none-match"] === etag) return this.sendJson(response, "", { etag }, 304)
    this.sendJson(response, document, { etag })
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const asked: Asked = {
        method: request.method ?? "",
        url: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(parts).toString("utf8")
      }
      this.asked.push(asked)
      ;(this.answer ?? this.honest)(asked, response)
    })
  }
}
