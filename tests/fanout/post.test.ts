/**
 * One attempt against receivers of every temper: what is told of it, how long it may take, how much is read (contract
 * 4).
 */
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net"
import { once } from "node:events"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { Poster, type PosterOptions, type PostOutcome, retryAfter } from "../../actors/kit/post.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { waitFor } from "../harness/index.ts"
import {
  after,
  answering,
  type Behaviour,
  closing,
  dead,
  endless,
  hanging,
  healthy,
  inTurn,
  type Receiver,
  reset,
  startReceiver
} from "../support/receiver.ts"
import { selfSigned } from "./certificate.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"

const CERTIFICATE = selfSigned("hooks.example")
/** Whoever answers here does so at once, but the machine may be slow; whoever does not is waited for in vain. */
const PATIENT = { ...LIMITS.webhook, timeout_ms: 60_000, answer_drain_ms: 200 }
const HASTY = { ...PATIENT, timeout_ms: 400 }

let receiver: Receiver
let poster: Poster

const open = (more: Partial<PosterOptions> = {}): Poster =>
  new Poster({
    clock: machineClock,
    production: false,
    limits: PATIENT,
    resolve: () => Promise.resolve(["127.0.0.1"]),
    ...more
  })

beforeEach(async () => {
  receiver = await startReceiver()
  poster = open()
})
afterEach(async () => {
  poster.close()
  await receiver.stop()
})

const hasten = (more: Partial<PosterOptions> = {}): void => {
  poster.close()
  poster = open({ limits: HASTY, ...more })
}

const body = Buffer.from(JSON.stringify({ hello: "there" }))
const post = (url = `${receiver.url}/in`, signal?: AbortSignal): Promise<PostOutcome> =>
  poster.post(url, { "content-type": "application/json", "content-length": body.length }, body, signal)
/** A receiver below HTTP: it says what it likes, once it hears something, or each time. */
const talking = async (
  talk: (socket: Socket) => void,
  each: "once" | "data" = "once"
): Promise<{ readonly url: string; readonly open: () => number; readonly stop: () => void }> => {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
    if (each === "data") socket.on("data", () => talk(socket))
    else {
      socket.once("data", () => talk(socket))
      socket.resume()
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    open: () => sockets.size,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}
const told = async (behaviour: Behaviour): Promise<readonly [number | null, string | null]> => {
  receiver.behave(behaviour)
  const { response_code, error } = await post()
  return [response_code, error]
}

describe("what is told", () => {
  test.each([200, 201, 202, 204, 299])("%i is delivered", async (status) => {
    expect(await told(answering(status))).toEqual([status, null])
    expect(receiver.received[0]).toMatchObject({ path: "/in", body: body.toString() })
  })
  test.each([400, 401, 404, 410, 429, 500, 503, 599])("%i is not", async (status) => {
    expect(await told(answering(status))).toEqual([status, `http_${status}`])
  })
  test.each([301, 302, 303, 307, 308, 304])("%i is no way to go on", async (status) => {
    const elsewhere = await startReceiver()
    expect(await told(answering(status, { location: `${elsewhere.url}/there` }))).toEqual([status, "redirect"])
    expect([receiver.received.length, elsewhere.received.length]).toEqual([1, 0])
    await elsewhere.stop()
  })
  test("silence is a timeout, and ends in time", async () => {
    hasten()
    expect(await told(dead)).toEqual([null, "timeout"])
  })
  test("one that is late is a timeout, one that is in time is not", async () => {
    expect(await told(after(HASTY.timeout_ms / 4, healthy))).toEqual([204, null])
    hasten()
    expect(await told(after(HASTY.timeout_ms * 2, healthy))).toEqual([null, "timeout"])
  })
  test("a connection that breaks, or is refused", async () => {
    expect(await told(reset)).toEqual([null, "connect"])
    await receiver.stop()
    expect((await post()).error).toBe("connect")
    receiver = await startReceiver()
  })
  test("a name without an address", async () => {
    poster.close()
    poster = open({ resolve: () => Promise.resolve([]) })
    expect((await post("http://nowhere.example:8080/")).error).toBe("dns")
  })
  test("a name server that never answers", async () => {
    hasten({ resolve: () => new Promise(() => undefined) })
    expect((await post("http://nowhere.example:8080/")).error).toBe("timeout")
  })
})

describe("an attempt that is cut short", () => {
  test("closes its connection, and tells that there was no answer", async () => {
    const silent = await talking(() => undefined)
    const cut = new AbortController()
    const attempt = post(silent.url, cut.signal)
    await waitFor(() => Promise.resolve(silent.open() === 1))
    cut.abort()
    await waitFor(() => Promise.resolve(silent.open() === 0), { deadlineMs: PATIENT.timeout_ms / 4 })
    expect(await attempt).toMatchObject({ response_code: null, error: "timeout" })
    silent.stop()
  })
  test("is none if it was cut before it began", async () => {
    expect(await post(`${receiver.url}/in`, AbortSignal.abort())).toMatchObject({ error: "timeout" })
    expect(receiver.received).toEqual([])
  })
  test("closes nothing if it was answered before", async () => {
    receiver.behave(healthy)
    const cut = new AbortController()
    expect(await post(`${receiver.url}/in`, cut.signal)).toMatchObject({ error: null })
    cut.abort()
    expect(await post()).toMatchObject({ error: null })
  })
})

describe("Retry-After", () => {
  test("is passed on in seconds", async () => {
    receiver.behave(answering(429, { "retry-after": "120" }))
    expect(await post()).toMatchObject({ response_code: 429, error: "http_429", retry_after_seconds: 120 })
    receiver.behave(answering(503, { "retry-after": "soon" }))
    expect((await post()).retry_after_seconds).toBeNull()
  })

  const now = Date.parse("2026-01-01T00:00:00Z")
  test.each([
    [undefined, null],
    ["", null],
    ["0", 0],
    ["17", 17],
    [" 17 ", 17],
    ["-1", null],
    ["1.5", null],
    ["1e3", null],
    ["99999999999999", null],
    ["Thu, 01 Jan 2026 00:01:00 GMT", 60],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
    ["2026-01-01T00:01:00Z", null],
    ["Thu, 99 Jan 2026 00:01:00 GMT", null]
  ] as const)("%j is %j", (text, seconds) => {
    expect(retryAfter(text, now)).toBe(seconds)
  })
})

describe("what is read", () => {
  test("an endless body: delivered by its status, and cut off", async () => {
    expect(await told(endless)).toEqual([200, null])
    await waitFor(() => receiver.connections() === 1)
    const settledBytes = await waitFor(() => receiver.sentBytes() || null)
    // What lay in buffers on the way counts as sent; the rest was never taken.
    expect(settledBytes).toBeLessThan(20_000_000)
    receiver.behave(healthy)
    expect((await post()).response_code).toBe(204)
    expect(receiver.connections()).toBe(2)
  })

  test("a body that never ends keeps nobody waiting", async () => {
    expect(await told(hanging(200))).toEqual([200, null])
    expect(await told(hanging(500))).toEqual([500, "http_500"])
  })

  test("a head without an end is refused", async () => {
    const fields = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x-${index}`, "x".repeat(200)]))
    expect(await told(answering(200, fields))).toEqual([null, "connect"])
  })

  test.each(["HTTP/1.1 200", "garbage\r\n\r\n", "HTTP/1.1 999999 x\r\n\r\n", "\0\0\0\0\r\n\r\n"])(
    "what is no HTTP: %j",
    async (text) => {
      const talker = await talking((socket) => socket.end(text))
      expect(await post(talker.url)).toMatchObject({ response_code: null, error: "connect" })
      talker.stop()
    }
  )
})

describe("interim answers", () => {
  const SWITCHING = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"

  test("another protocol is nothing that was asked for: a failed attempt, and the connection is given up", async () => {
    for (const bytes of [
      SWITCHING,
      "HTTP/1.1 101 x\r\n\r\n",
      `${SWITCHING}HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n`
    ]) {
      const talker = await talking((socket) => socket.write(bytes))
      expect(await post(talker.url)).toMatchObject({ response_code: 101, error: "http_101" })
      await waitFor(() => talker.open() === 0)
      talker.stop()
    }
  })
  test("another protocol over a kept connection too", async () => {
    let requests = 0
    const talker = await talking(
      (socket) => socket.write(requests++ === 0 ? "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" : SWITCHING),
      "data"
    )
    expect(await post(talker.url)).toMatchObject({ response_code: 200, error: null })
    expect(await post(talker.url)).toMatchObject({ response_code: 101, error: "http_101" })
    talker.stop()
  })
  test.each(["100 Continue", "102 Processing", "103 Early Hints"])(
    "%s and nothing behind it, or without an end, is a timeout",
    async (status) => {
      hasten()
      const single = await talking((socket) => socket.write(`HTTP/1.1 ${status}\r\n\r\n`))
      expect(await post(single.url)).toMatchObject({ response_code: null, error: "timeout" })
      single.stop()
      const forever = await talking((socket) => {
        const more = setInterval(() => socket.write(`HTTP/1.1 ${status}\r\n\r\n`.repeat(20)), 5)
        socket.on("close", () => clearInterval(more))
      })
      expect(await post(forever.url)).toMatchObject({ response_code: null, error: "timeout" })
      await waitFor(() => forever.open() === 0)
      forever.stop()
    }
  )
  test("an interim answer before the real one does no harm", async () => {
    const talker = await talking((socket) =>
      socket.write("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
    )
    expect(await post(talker.url)).toMatchObject({ response_code: 204, error: null })
    talker.stop()
  })
})

describe("connections", () => {
  test("are kept", async () => {
    for (let count = 0; count < 5; count++) expect((await post()).response_code).toBe(204)
    expect([receiver.connections(), receiver.received.length]).toEqual([1, 5])
  })
  test("are watched once, however often they are kept", async () => {
    const warnings: Array<string> = []
    const warned = ({ name }: Error): void => void warnings.push(name)
    process.on("warning", warned)
    for (let count = 0; count < 30; count++) expect((await post()).response_code).toBe(204)
    // A warning is told in the tick after the listener that is one too many.
    await new Promise((resolve) => setImmediate(resolve))
    process.off("warning", warned)
    expect([warnings, receiver.connections()]).toEqual([[], 1])
  })
  test("of a receiver that closes each one are made anew", async () => {
    receiver.behave(closing(200))
    for (let count = 0; count < 3; count++) expect((await post()).error).toBeNull()
    expect(receiver.connections()).toBe(3)
  })
  test("that were cut while they lay idle cost nothing", async () => {
    expect((await post()).error).toBeNull()
    receiver.cut()
    expect((await post()).error).toBeNull()
    expect((await post()).error).toBeNull()
    receiver.behave(inTurn(reset, healthy))
    // The request went out over a kept connection: it goes once more, over a fresh one.
    expect((await post()).error).toBeNull()
    receiver.behave(reset)
    expect((await post()).error).toBe("connect")
  })
  test("goes over a fresh connection although several kept ones are stale", async () => {
    const first: Array<Socket> = []
    const seen = new WeakSet<Socket>()
    const talker = await talking((socket) => {
      if (seen.has(socket)) return socket.destroy()
      seen.add(socket)
      const answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
      if (first.push(socket) === 3) for (const one of first) one.write(answer)
      else if (first.length > 3) socket.write(answer)
    }, "data")
    for (const outcome of await Promise.all([1, 2, 3].map(() => post(talker.url)))) expect(outcome.error).toBeNull()
    expect(await post(talker.url)).toMatchObject({ response_code: 200, error: null })
    talker.stop()
  })
})

describe("TLS", () => {
  let secure: Receiver
  beforeEach(async () => {
    secure = await startReceiver({ tls: CERTIFICATE })
  })
  afterEach(() => secure.stop())
  const address = (host: string): string => `https://${host}:${secure.port}/in`

  test("a certificate that nobody vouches for", async () => {
    expect((await post(address("hooks.example"))).error).toBe("tls")
    expect(secure.received).toEqual([])
  })
  test("one of another name", async () => {
    poster.close()
    poster = open({ ca: CERTIFICATE.cert })
    expect((await post(address("other.example"))).error).toBe("tls")
  })
  test("the right one is delivered to", async () => {
    poster.close()
    poster = open({ ca: CERTIFICATE.cert })
    expect(await post(address("hooks.example"))).toMatchObject({ response_code: 204, error: null })
    expect((await post(address("hooks.example"))).error).toBeNull()
    expect(secure.connections()).toBe(1)
  })
  test("no TLS at all", async () => {
    expect((await post(`https://hooks.example:${receiver.port}/`)).error).toBe("tls")
  })
  test("a handshake that never ends", async () => {
    const server = createTcpServer((socket: Socket) => void socket.on("error", () => undefined))
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    hasten()
    expect((await post(`https://hooks.example:${(server.address() as AddressInfo).port}/`)).error).toBe("timeout")
    poster.close()
    server.close()
  })
})
