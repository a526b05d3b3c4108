/**
 * What a program in a compartment or out in the world does, in a network namespace of a test: it has its orders as JSON
 * in its only argument and writes what came of them as JSON, one line for each thing.
 */
import { createSocket } from "node:dgram"
import { readFileSync } from "node:fs"
import { Resolver } from "node:dns/promises"
import { connect, createServer, type Socket } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import { tryTcp } from "../../actors/runtime/network/probe-program.ts"

/** Connections that were made, and those that the other end closed. */
export interface Held {
  readonly open: number
  readonly closed: number
}

export type Order =
  | { readonly do: "tcp"; readonly to: string; readonly port: number; readonly from?: string; readonly waitMs: number }
  | { readonly do: "udp"; readonly to: string; readonly port: number; readonly from: string; readonly text: string }
  | { readonly do: "dns"; readonly server: string; readonly name: string; readonly type: "A" | "AAAA" | "TXT" }
  | { readonly do: "get"; readonly to: string; readonly port: number; readonly waitMs: number }
  | {
      readonly do: "hold"
      readonly to: string
      readonly port: number
      readonly count: number
      readonly enough: Held
      readonly waitMs: number
    }
  | { readonly do: "pull"; readonly to: string; readonly port: number }
  | { readonly do: "push"; readonly to: string; readonly port: number }
  | {
      readonly do: "serve"
      readonly plain: number
      readonly source: number
      readonly sink: number
      readonly udp: number
    }

/** The bucket is full at first: what it gives away at once is no pace. */
const SKIP_MS = 1000
const MEASURE_MS = 4000
const COUNT_MAX_MS = 20
const CHUNK = Buffer.alloc(64 * 1024)
const DNS_WAIT_MS = 10_000
const PULL_WAIT_MS = 60_000

const say = (what: unknown): boolean => process.stdout.write(`${JSON.stringify(what)}\n`)

/** What has come to this namespace from elsewhere, as its kernel has it: it counts on while this process waits for a core. */
const received = (): number =>
  readFileSync("/proc/self/net/dev", "utf8")
    .split("\n")
    .map((line) => line.trim().split(/[:\s]+/))
    .filter(([name, count]) => name !== "lo" && /^\d+$/.test(count ?? ""))
    .reduce((sum, [, count]) => sum + Number(count), 0)

interface Count {
  readonly at: number
  readonly bytes: number
}

/** With its moment: where this process had to wait in between, it is counted again. */
function counted(): Count {
  for (;;) {
    const before = performance.now()
    const bytes = received()
    const at = performance.now()
    if (at - before < COUNT_MAX_MS) return { at, bytes }
  }
}

/** Kilobits a second of what comes in, from one second after the first byte on. */
function measure(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    let first = 0
    let from: Count | null = null
    socket.on("data", () => {
      const now = performance.now()
      if (first === 0) first = now
      if (now - first < SKIP_MS) return
      from ??= counted()
      if (now - from.at < MEASURE_MS) return
      const { at, bytes } = counted()
      resolve(((bytes - from.bytes) * 8) / (at - from.at))
      socket.destroy()
    })
    socket.on("close", () => resolve(0))
    socket.on("error", () => {})
  })
}

function flood(socket: Socket): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(CHUNK)) continue
  }
  socket.on("drain", more).on("error", () => {})
  more()
}

async function ask({ server, name, type }: Extract<Order, { do: "dns" }>): Promise<string> {
  const resolver = new Resolver({ timeout: DNS_WAIT_MS, tries: 1 })
  resolver.setServers([server])
  return resolver.resolve(name, type).then(
    (answers) => JSON.stringify(answers),
    ({ code }: NodeJS.ErrnoException) => code ?? "failed"
  )
}

/** Everything that a server says until it ends. */
function get({ to, port, waitMs }: Extract<Order, { do: "get" }>): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: to, port })
    let text = ""
    const timer = setTimeout(() => socket.destroy(), waitMs)
    socket.on("data", (chunk) => (text += chunk.toString("utf8")))
    socket.on("error", () => {})
    socket.on("close", () => {
      clearTimeout(timer)
      resolve(text)
    })
  })
}

/** Counts connections made at the same time, until there are enough and a moment more has passed. */
async function hold({ to, port, count, enough, waitMs }: Extract<Order, { do: "hold" }>): Promise<Held> {
  const sockets = Array.from({ length: count }, () => connect({ host: to, port }).on("error", () => {}))
  let open = 0
  let closed = 0
  for (const socket of sockets) socket.on("connect", () => open++).on("close", () => closed++)
  const end = performance.now() + waitMs
  while ((open < enough.open || closed < enough.closed) && performance.now() < end) await delay(COUNT_MAX_MS)
  await delay(SKIP_MS)
  const made = { open, closed }
  for (const socket of sockets) socket.destroy()
  return made
}

function send({ to, port, from, text }: Extract<Order, { do: "udp" }>): Promise<string> {
  return new Promise((resolve) => {
    const socket = createSocket("udp4")
    socket.bind(0, from, () => socket.send(text, port, to, () => socket.close(() => resolve("sent"))))
  })
}

async function push({ to, port }: Extract<Order, { do: "push" }>): Promise<string> {
  const socket = connect({ host: to, port })
  flood(socket)
  await new Promise((resolve) => socket.once("close", resolve))
  return "pushed"
}

function pull({ to, port }: Extract<Order, { do: "pull" }>): Promise<number> {
  const socket = connect({ host: to, port, timeout: PULL_WAIT_MS })
  socket.on("timeout", () => socket.destroy())
  return measure(socket)
}

/** Of the world: greets, floods, measures, and tells whose datagrams come. */
async function serve({ plain, source, sink, udp }: Extract<Order, { do: "serve" }>): Promise<void> {
  const listen = (port: number, work: (socket: Socket) => void): Promise<void> =>
    new Promise((resolve) => createServer(work).listen({ port, host: "::" }, resolve))
  await listen(plain, (socket) => socket.on("error", () => {}).end(`${socket.remoteAddress}\n`))
  await listen(source, flood)
  await listen(sink, (socket) => void measure(socket).then((kbit) => say({ pushed: kbit })))
  const socket = createSocket("udp4", (message, { address }) => say({ udp: message.toString("utf8"), from: address }))
  await new Promise<void>((resolve) => socket.bind(udp, resolve))
  say("ready")
}

const carryOut = async (order: Order): Promise<unknown> => {
  if (order.do === "tcp") return tryTcp({ by: "tcp", ...order })
  if (order.do === "udp") return send(order)
  if (order.do === "dns") return ask(order)
  if (order.do === "get") return get(order)
  if (order.do === "hold") return hold(order)
  if (order.do === "pull") return pull(order)
  if (order.do === "push") return push(order)
  return serve(order)
}

if (import.meta.main) {
  const orders = JSON.parse(process.argv[2] ?? "[]") as ReadonlyArray<Order>
  const done = await Promise.all(orders.map(carryOut))
  if (!orders.some((order) => order.do === "serve")) say(done)
}
