/**
 * The three adapters, in the real frameworks: the verdict arrives, the target is the one that was sent, refusals have
 * a status.
 */
import { createServer, request as send, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import expressFramework from "express"
import { Hono } from "hono"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { express, fetchHandler, hono, type Verdict, type Verifier } from "../../edge/sdk/verify.ts"
import { newKey, type TestAgent, TestHub } from "./verify-hub.ts"

declare global {
  namespace Express {
    interface Request {
      hubAgent?: Verdict
    }
  }
}

let hub: TestHub
let agent: TestAgent
let suspended: TestAgent
let verifier: Verifier

beforeAll(async () => {
  hub = await TestHub.start()
  agent = hub.agent()
  suspended = hub.agent("suspended")
  verifier = hub.verifier()
})
afterAll(() => hub.stop())

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

const get = (port: number, path: string, headers: Readonly<Record<string, string>>): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const outgoing = send({ host: "127.0.0.1", port, path, headers }, (incoming) => {
      const parts: Array<Buffer> = []
      incoming.on("data", (part: Buffer) => parts.push(part))
      incoming.on("end", () =>
        resolve({
          status: incoming.statusCode ?? 0,
          type: incoming.headers["content-type"] ?? "",
          body: Buffer.concat(parts).toString("utf8")
        })
      )
    })
    outgoing.on("error", reject)
    outgoing.end()
  })

describe("express", () => {
  let server: Server
  let port = 0

  beforeAll(async () => {
    const app = expressFramework()
    const inner = expressFramework.Router()
    inner.use(express(verifier))
    inner.get("/{*rest}", (request, response) => {
      response.json(request.hubAgent)
    })
    app.use("/mounted", inner)
    app.use("/closed", express(verifier, { require: true }), (request, response) => {
      response.send(request.hubAgent?.handle ?? "")
    })
    app.use("/broken", express({ ...verifier, check: () => Promise.reject(new Error("a fault of the website")) }))
    app.use(
      (
        error: Error,
        _request: unknown,
        response: { status(code: number): { send(body: string): unknown } },
        _next: unknown
      ) => {
        response.status(500).send(error.message)
      }
    )
    server = createServer(app)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  it("judges the target as it was sent, below a mount point and with whatever characters", async () => {
    for (const path of ["/mounted/offers?page=2&x=%2f", "/mounted//a/../b?", "/mounted"]) {
      const { headers } = agent.request({ path })
      expect(JSON.parse((await get(port, path, headers)).body)).toMatchObject({ valid: true, handle: agent.handle })
    }
    expect(JSON.parse((await get(port, "/mounted/x", agent.request({ path: "/x" }).headers)).body)).toMatchObject({
      reason: "bad_signature"
    })
  })

  it("passes every verdict on, or answers for the website where a proof is required", async () => {
    expect(JSON.parse((await get(port, "/mounted/x", {})).body)).toMatchObject({ reason: "headers_missing" })
    expect(await get(port, "/closed", agent.request({ path: "/closed" }).headers)).toMatchObject({
      status: 200,
      body: agent.handle
    })
    const nobody = await get(port, "/closed", {})
    expect(nobody).toMatchObject({ status: 401, type: expect.stringContaining("application/json") })
    expect(JSON.parse(nobody.body)).toEqual({ error: "headers_missing", message: expect.any(String) })
    expect(await get(port, "/closed", suspended.request({ path: "/closed" }).headers)).toMatchObject({ status: 403 })
  })

  it("hands the website's own faults to the website", async () => {
    expect(await get(port, "/broken", {})).toMatchObject({ status: 500, body: "a fault of the website" })
  })
})

describe("hono", () => {
  const app = (): Hono<{ Variables: { hubAgent: Verdict } }> => {
    const made = new Hono<{ Variables: { hubAgent: Verdict } }>()
    made.use("/open/*", hono(verifier))
    made.use("/closed/*", hono(verifier, { require: true }))
    made.get("/*", (context) => context.json(context.get("hubAgent")))
    return made
  }
  const ask = async (path: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
    app().request(`http://inside.example${path}`, { headers })

  it("judges the target, passes verdicts on, and answers where a proof is required", async () => {
    const path = "/open/offers?page=2&x=%2f"
    expect(await (await ask(path, agent.request({ path }).headers)).json()).toMatchObject({
      valid: true,
      handle: agent.handle
    })
    expect(await (await ask(path, {})).json()).toMatchObject({ reason: "headers_missing" })
    const closed = "/closed/offers"
    expect((await ask(closed, agent.request({ path: closed }).headers)).status).toBe(200)
    expect((await ask(closed, agent.request({ path: closed, key: newKey() }).headers)).status).toBe(401)
    expect((await ask(closed, suspended.request({ path: closed }).headers)).status).toBe(403)
  })
})

describe("a handler of Fetch requests", () => {
  const url = (path: string): string => `https://inside.example${path}`

  it("gets the verdict and whatever else the runtime hands over", async () => {
    const handler = fetchHandler(
      verifier,
      (request: Request, verdict: Verdict, env: { greeting: string }) =>
        new Response(`${env.greeting} ${verdict.handle} ${new URL(request.url).search}`)
    )
    const path = "/offers?page=2"
    expect(
      await (
        await handler(new Request(url(path), { headers: agent.request({ path }).headers }), { greeting: "hello" })
      ).text()
    ).toBe(`hello ${agent.handle} ?page=2`)
  })

  it("tells a worker what is still under way", async () => {
    const waitedFor: Array<Promise<unknown>> = []
    const context = { waitUntil: (work: Promise<unknown>) => void waitedFor.push(work) }
    const handler = fetchHandler(
      verifier,
      (_request: Request, verdict: Verdict, _env: unknown, _context: typeof context) => verdict.reason
    )
    expect(await handler(new Request(url("/")), {}, context)).toBe("headers_missing")
    expect(waitedFor).toHaveLength(1)
    await Promise.all(waitedFor)
  })

  it("is not called without a proof where one is required", async () => {
    let called = 0
    const handler = fetchHandler(verifier, () => new Response(String(++called)), { require: true })
    const path = "/offers"
    expect((await handler(new Request(url(path), { headers: agent.request({ path }).headers }))).status).toBe(200)
    const refused = await handler(new Request(url(path)))
    expect(refused.status).toBe(401)
    expect(refused.headers.get("cache-control")).toBe("no-store")
    expect(await refused.json()).toMatchObject({ error: "headers_missing" })
    const unreachable = fetchHandler(hub.verifier({ hub: "http://127.0.0.1:1" }), () => new Response("never"), {
      require: true
    })
    expect((await unreachable(new Request(url(path), { headers: agent.request({ path }).headers }))).status).toBe(503)
    expect(called).toBe(1)
  })
})
