/** An edge in the test's own process, on a real nats-server, with a played actors' side. */
import type { AddressInfo } from "node:net"
import { randomBytes } from "node:crypto"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { openEdge } from "../../edge/app.ts"
import { loadEdgeConfig } from "../../edge/http/config.ts"
import { RequestLog } from "../../edge/http/log.ts"
import type { Served } from "../../edge/served.ts"
import { edgeKeys } from "../../ops/launcher/node-environment.ts"
import { drawPort } from "../../ops/launcher/ports.ts"
import { type MovableClock, openTenant, testFolder } from "../harness/index.ts"
import { type Identity, newIdentity, type Signing, signatureHeaders } from "./signer.ts"
import { WireNode } from "./wire-node.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"

export interface TestNats {
  readonly url: string
  readonly stop: () => Promise<void>
}

export const openNats = async (): Promise<TestNats> => {
  const { operatorUrl, release } = await openTenant({ tables: false })
  return { url: operatorUrl, stop: release }
}

export interface Call {
  /** Aborted: the client leaves. */
  readonly signal?: AbortSignal
  readonly method?: string
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  readonly signed?: Identity
  readonly signing?: Partial<Signing>
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Envelope
}

/** Loose on purpose: what a test looks into, it asserts. */
interface Envelope {
  readonly ok: boolean
  readonly data: Record<string, unknown>
  readonly meta?: Record<string, unknown>
  readonly error: {
    readonly code: string
    readonly message: string
    readonly details: Record<string, unknown>
    readonly doc_url: string
  }
}

/** Limits that no test meets by accident. */
const OPEN_LIMITS = Object.fromEntries(
  ["ip", "anon", "key", "web", "register", "captcha_key"].map((name) => [`rate_limits.${name}.requests`, 1_000_000])
)

export interface EdgeOptions {
  readonly nats: string
  readonly limits?: Readonly<Record<string, number>>
  readonly env?: Readonly<Record<string, string>>
  /** Instead of everything that an edge serves. */
  readonly served?: Served
  /** The clock of the edge, which a test may move. */
  readonly clock?: MovableClock
}

export class TestEdge {
  readonly url: string
  readonly host: string
  readonly port: number
  /** Address of its bus. */
  readonly nats: string
  readonly logged: Array<Record<string, unknown>>
  private readonly end: () => Promise<void>

  private constructor(port: number, nats: string, logged: Array<Record<string, unknown>>, end: () => Promise<void>) {
    this.port = port
    this.nats = nats
    this.host = `127.0.0.1:${port}`
    this.url = `http://${this.host}`
    this.logged = logged
    this.end = end
  }

  static async start(options: EdgeOptions): Promise<TestEdge> {
    const port = await drawPort()
    const clock = options.clock ?? machineClock
    const loaded = loadEdgeConfig({
      ...edgeKeys(randomBytes(32)),
      HUB_ENV: "development",
      HUB_PORT: String(port),
      HUB_NATS_URL: options.nats,
      HUB_DATA: await testFolder("edge"),
      HUB_LIMITS: JSON.stringify({ ...OPEN_LIMITS, ...options.limits }),
      ...options.env
    })
    const config = await Effect.runPromise(loaded)
    const logged: Array<Record<string, unknown>> = []
    const log = new RequestLog(clock, (text) => {
      for (const line of text.trim().split("\n")) logged.push(JSON.parse(line) as Record<string, unknown>)
    })
    const listening = Deferred.makeUnsafe<AddressInfo>()
    const fiber = Effect.runFork(
      Effect.scoped(
        Effect.gen(function* () {
          const server = yield* openEdge(config, log, options.served)
          yield* Deferred.succeed(listening, server.address() as AddressInfo)
          return yield* Effect.never
        })
      ).pipe(Effect.provideService(Clock.Clock, clock))
    )
    const failed = Effect.runPromise(Fiber.join(fiber))
    await Promise.race([Effect.runPromise(Deferred.await(listening)), failed])
    failed.catch(() => undefined)
    return new TestEdge(port, options.nats, logged, () => Effect.runPromise(Fiber.interrupt(fiber)))
  }

  headersFor(path: string, call: Call): Record<string, string> {
    if (call.signed === undefined) return { ...call.headers }
    const signing = {
      method: call.method ?? "GET",
      path,
      host: this.host,
      ...(call.body === undefined ? {} : { body: call.body }),
      ...call.signing
    }
    return { ...signatureHeaders(call.signed, signing), ...call.headers }
  }

  async call(path: string, call: Call = {}): Promise<Answered> {
    const response = await fetch(this.url + path, {
      method: call.method ?? "GET",
      headers: this.headersFor(path, call),
      redirect: "manual",
      signal: call.signal ?? null,
      ...(call.body === undefined
        ? {}
        : { body: typeof call.body === "string" ? call.body : new Uint8Array(call.body) })
    })
    const text = await response.text()
    const isJson = response.headers.get("content-type")?.includes("json") === true && text !== ""
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: (isJson ? JSON.parse(text) : {}) as Envelope
    }
  }

  stop(): Promise<void> {
    return this.end()
  }
}

/** The usual answers: every draw is granted, every signature settled, `agent.me` tells who asks. */
export const playActors = (node: WireNode): void => {
  const rate = { limit: 240, remaining: 239, reset: 2_000_000_000 }
  node.on("limit.draw", (ask) => ({
    data: { granted: (ask.input as { wanted: number }).wanted, limit: 1, remaining: 0, resets_at: Date.now() + 60_000 }
  }))
  node.on("agent.authenticate", (ask) => ({
    data: { id: ask.actor, handle: "h", roles: [], status: "active", trust: 10, reputation: 0 },
    head: { rate }
  }))
  node.on("agent.admit_key", () => ({ data: { state: "free" } }))
  node.on("agent.me", (ask) => ({
    data: { id: ask.actor, scores: { trust: 1, reputation: 2 }, status: "active" },
    head: { rate }
  }))
  node.on("agent.update", (ask) => ({ data: { id: ask.actor, ...(ask.input as object) }, head: { rate } }))
  node.on("agent.delete", (ask) => ({ data: { deleted: true, id: ask.actor }, head: { rate } }))
  node.onQuery("stats", () => ({ ok: true, data: { agents: 3 } }))
  node.onQuery("categories", () => ({ ok: true, data: [] }))
  node.onQuery("alive", () => ({ ok: true, data: null }))
  node.onQuery("health", () => ({
    ok: true,
    data: {
      status: "ok",
      checks: { db: { status: "pass", observed: 1, unit: "ms", time: "2026-01-01T00:00:00Z", message: null } },
      clocks: [],
      now: Date.now()
    }
  }))
}

export interface World {
  readonly nats: TestNats
  readonly node: WireNode
  readonly edge: TestEdge
  readonly agent: Identity
  readonly stop: () => Promise<void>
}

export const openWorld = async (options: Omit<EdgeOptions, "nats"> = {}): Promise<World> => {
  const nats = await openNats()
  const node = await WireNode.start(nats.url)
  playActors(node)
  await node.claim()
  const edge = await TestEdge.start({ ...options, nats: nats.url })
  return {
    nats,
    node,
    edge,
    agent: newIdentity(),
    stop: async () => {
      await edge.stop()
      await node.stop()
      await nats.stop()
    }
  }
}
