/**
 * A worker with real connections between receivers that mean ill and one that is well. The worker's time stands: a
 * delivery that waits for the end of somebody's silence does not come. Log and actors are played.
 */
import { once } from "node:events"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { Effect, Exit, Scope } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"
import { after, monotonicMs } from "../../schemas/runtime/clock.ts"
import type { Answer } from "../../schemas/runtime/bus/asker.ts"
import type { Ask } from "../../schemas/bus/frames.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { receiverOf } from "../../actors/delivery/state.ts"
import { Poster } from "../../actors/kit/post.ts"
import type { Message, Source } from "../../actors/kit/worker/message.ts"
import { Worker } from "../../actors/fanout/worker.ts"
import { type MovableClock, onClock, standingClock, waitFor } from "../harness/index.ts"
import { type Receiver, startReceiver } from "../support/receiver.ts"

/** As it was found: so many agents, each with a receiver of its own, and so many notifications for each. */
const AGENTS = 24
const EACH = 28
/** A move of the worker's clock: whoever waits for somebody's silence to end waits for longer than this. */
const USUAL_MS = LIMITS.webhook.slow_ms

type Talk = (socket: Socket) => void

const silent: Talk = (socket) => void socket.resume()
const switching: Talk = (socket) =>
  void socket.once("data", () =>
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
  )
/** Quick once, that it is taken for one of the fast; then silent. */
const deceiving: Talk = (socket) => {
  socket.once("data", () => socket.write("HTTP/1.1 204 No Content\r\n\r\n"))
  socket.resume()
}

/** A log that gives out again what is given back. */
class Log implements Source {
  private readonly waiting: Array<Message> = []
  private wake: () => void = () => undefined
  private seq = 0
  readonly urls = new Map<string, string>()
  readonly content = new Map<string, { readonly agent: string; readonly receiver: string }>()

  queued(agent: string, url: string): void {
    const seq = ++this.seq
    const queued = { agent, about: "webhook.test", body: "{}", receiver: receiverOf(url) }
    this.urls.set(agent, url)
    this.content.set(String(seq), queued)
    const data = Buffer.from(
      JSON.stringify({ v: 1, id: "c", op: "o", at: 0, events: [{ type: "delivery.queued", v: 1, ...queued }] })
    )
    const give = (given: number): void => {
      this.waiting.push({
        seq,
        delivery: String(seq),
        data,
        given,
        ack: () => undefined,
        nak: (ms) => void after(clock, ms, () => give(given + 1)),
        working: () => undefined
      })
      this.wake()
    }
    give(1)
  }

  fetch(max: number, receive: (message: Message) => void): Effect.Effect<void> {
    const come = Effect.promise(() =>
      this.waiting.length > 0 ? Promise.resolve() : new Promise<void>((resolve) => (this.wake = resolve))
    )
    return Effect.map(come, () => {
      for (const message of this.waiting.splice(0, max)) receive(message)
    })
  }
}

let clock: MovableClock
let log: Log
let worker: Worker
let scope: Scope.Closeable
let poster: Poster
let well: Receiver
let ops: Array<string>
const servers: Array<Server> = []
const sockets = new Set<Socket>()

const actors = ({ op, actor }: Ask): Answer => {
  ops.push(op)
  const data =
    op === "webhook.sign"
      ? { url: log.urls.get(actor), signature: "v1,x", failing: false }
      : op === "delivery.content"
        ? { ...log.content.get(actor), about: "webhook.test", body: "{}", calls: 1, called: true }
        : { status: "pending" }
  return { head: {}, body: Buffer.from(JSON.stringify(data)) }
}

const hostile = async (talk: Talk): Promise<string> => {
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
    talk(socket)
  })
  servers.push(server)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** Waits for its next delivery. The result is the time that took, in milliseconds of the worker's clock. */
const arrival = async (agent: string, { url, received }: Receiver): Promise<number> => {
  const before = received.length
  const began = monotonicMs(clock)
  log.queued(agent, `${url}/`)
  await waitFor(() => received.length > before, { describe: `a delivery for ${agent}` })
  return monotonicMs(clock) - began
}

beforeEach(async () => {
  clock = standingClock()
  log = new Log()
  ops = []
  well = await startReceiver()
  poster = new Poster({ clock, production: false, limits: LIMITS.webhook })
  scope = Scope.makeUnsafe()
  const made = Worker.make({
    source: log,
    poster,
    config: { limits: LIMITS },
    ask: (ask) => new Promise((resolve) => setImmediate(() => resolve(actors(ask))))
  })
  worker = Effect.runSync(onClock(clock)(Scope.provide(made, scope)))
  await arrival("victim", well)
})
afterEach(async () => {
  const stopped = Effect.runPromise(onClock(clock)(Scope.close(scope, Exit.void)))
  for (const socket of sockets) socket.destroy()
  await clock.passing(stopped)
  poster.close()
  for (const server of servers.splice(0)) server.close()
  await well.stop()
})

const flood = (urls: ReadonlyArray<string>, each = EACH): void => {
  for (let count = 0; count < each; count++)
    for (const [index, url] of urls.entries()) log.queued(`hostile${index}`, url)
}
const urlsOf = (talk: Talk): Promise<ReadonlyArray<string>> =>
  Promise.all(Array.from({ length: AGENTS }, () => hostile(talk)))

test.each<[string, Talk]>([
  ["never answer", silent],
  ["change the protocol", switching]
])("receivers that %s delay neither one that is known nor one that is new", async (_what, talk) => {
  flood(await urlsOf(talk))
  await waitFor(() => sockets.size >= AGENTS || ops.includes("delivery.report"))
  const newcomer = await startReceiver()
  expect(await arrival("victim", well)).toBeLessThan(USUAL_MS)
  expect(await arrival("newcomer", newcomer)).toBeLessThan(USUAL_MS)
  // Nor once their time is over and what waits for them is put off.
  const over = talk === silent ? "delivery.put_off" : "delivery.report"
  await clock.passing(waitFor(() => ops.filter((op) => op === over).length > AGENTS * (EACH / 2)))
  expect(await arrival("victim", well)).toBeLessThan(USUAL_MS)
  await newcomer.stop()
})

test("receivers that were quick and then never answer delay nobody either", async () => {
  const urls = await urlsOf(deceiving)
  flood(urls, 1)
  await waitFor(() => ops.filter((op) => op === "delivery.report").length > AGENTS)
  flood(urls)
  await waitFor(() => worker.load.inFlight >= AGENTS)
  for (let count = 0; count < 3; count++) expect(await arrival("victim", well)).toBeLessThan(USUAL_MS)
})
