/** Places for connections: who loses one when there are too few. Over real sockets. */
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import type { Clock } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import { Pipelined, PIPELINED_MAX } from "../../schemas/runtime/pipelined.ts"
import { LEAVING_MAX, Places, UNREAD_MAX_MS } from "../../schemas/runtime/places.ts"
import { onWhole } from "../../edge/http/whole.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { standingClock, waitFor } from "../harness/index.ts"
import { HALVES, HalfOpen } from "../support/half-open.ts"

const MAX = 12
const CLIENT_MAX = 8
/** More than buffers hold. */
const LONG = Buffer.alloc(30_000_000)
/** A look at who reads is due after each. */
const STEP_MS = 1000
const UNREAD_STEPS = UNREAD_MAX_MS / STEP_MS
const WHOLE = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

const ends: Array<() => void> = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A server that answers when it is told to. */
const held = async (clock: Clock.Clock = machineClock) => {
  const answers: Array<ServerResponse> = []
  const sockets: Array<Socket> = []
  const places = new Places<Socket>(MAX, CLIENT_MAX, clock)
  const server = createServer((request, response) => {
    onWhole(request, response, (socket) => places.asks(socket))
    answers.push(response)
  })
  server.maxConnections = MAX + LEAVING_MAX
  server.on("connection", (socket) => {
    sockets.push(socket)
    places.meet(socket, socket.remoteAddress ?? "")
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const lines = (): HalfOpen => {
    const half = new HalfOpen(port)
    ends.push(() => half.end())
    return half
  }
  return { answers, lines, sockets }
}

test("half-open connections end, and requests under way do not", async () => {
  const { answers, lines } = await held()
  const asking = lines()
  await asking.open(MAX / 2, WHOLE)
  await waitFor(() => answers.length === MAX / 2)
  const half = lines()
  await half.open(3 * MAX, HALVES.body, "127.0.0.2")
  await waitFor(() => half.alive <= MAX / 2, { describe: "what is too many to end" })
  expect(half.alive).toBe(MAX / 2)
  expect(asking.alive).toBe(MAX / 2)
  await asking.open(1, WHOLE, "127.0.0.3")
  await waitFor(() => asking.alive === MAX / 2 + 1 && half.alive === MAX / 2 - 1)
})

test("one client has no more than its part, and loses its own oldest", async () => {
  const { lines } = await held()
  const [few, many] = [lines(), lines()]
  await few.open(2, HALVES.head, "127.0.0.2")
  await many.open(3 * MAX)
  await waitFor(() => many.alive === CLIENT_MAX, { describe: "its part" })
  expect(many.sockets.slice(-CLIENT_MAX).every(({ destroyed }) => !destroyed)).toBe(true)
  expect(few.alive).toBe(2)
})

test("where each place has a request under way, a new connection ends", async () => {
  const { answers, lines } = await held()
  const asking = lines()
  for (const from of ["127.0.0.1", "127.0.0.2"]) await asking.open(MAX / 2, WHOLE, from)
  await waitFor(() => answers.length === MAX)
  const more = lines()
  await more.open(1, WHOLE, "127.0.0.3")
  await waitFor(() => more.alive === 0, { describe: "the one too many to end" })
  expect(asking.alive).toBe(MAX)
  answers[0]?.end()
  await once(asking.sockets[0] as Socket, "data")
  await more.open(1, WHOLE, "127.0.0.3")
  await waitFor(() => answers.length === MAX + 1, { describe: "an idle place to be given away" })
})

/** By so many connections of an address, answers that begin and are read no further. */
const leaveUnread = async (server: Awaited<ReturnType<typeof held>>, count: number, from: string) => {
  const before = server.answers.length
  const line = server.lines()
  await line.open(count, WHOLE, from)
  for (const socket of line.sockets) socket.pause()
  await waitFor(() => server.answers.length === before + count)
  for (const answer of server.answers.slice(before)) answer.end(LONG)
  return line
}

test("who reads no answer gives way, and who waits for one does not", async () => {
  const clock = standingClock()
  const server = await held(clock)
  const asking = server.lines()
  await asking.open(MAX / 2, WHOLE)
  await waitFor(() => server.answers.length === MAX / 2)
  await leaveUnread(server, MAX / 2, "127.0.0.2")
  const early = server.lines()
  await early.open(1, WHOLE, "127.0.0.3")
  await waitFor(() => early.alive === 0, { describe: "one to end before anybody looked" })
  for (let n = 0; n < 3; n++) clock.move(STEP_MS)
  await server.lines().open(1, WHOLE, "127.0.0.3")
  await waitFor(() => server.answers.length === MAX + 1, { describe: "a place to be given away" })
  expect(server.sockets.slice(MAX / 2, MAX).map(({ destroyed }) => destroyed)).toEqual([
    true,
    ...Array.from({ length: MAX / 2 - 1 }, () => false)
  ])
  expect(asking.alive).toBe(MAX / 2)
})

test("an answer of which nobody takes a byte ends, and one that is taken slowly does not", async () => {
  const clock = standingClock()
  const server = await held(clock)
  await server.lines().open(1, WHOLE)
  await waitFor(() => server.answers.length === 1)
  const client = (await leaveUnread(server, 1, "127.0.0.2")).sockets[0] as Socket
  const [waiting, socket] = server.sockets as [Socket, Socket]
  const queued = () =>
    (socket as { readonly _handle?: { readonly writeQueueSize: number } })._handle?.writeQueueSize ?? 0
  for (let round = 0; round < 2; round++) {
    for (let n = 0; n < UNREAD_STEPS; n++) clock.move(STEP_MS)
    expect(socket.destroyed).toBe(false)
    const before = queued()
    const read = (): void => {
      if (queued() < before) client.pause()
    }
    client.on("data", read).resume()
    await waitFor(() => client.isPaused(), { describe: "a part to be taken" })
    client.off("data", read)
    expect(queued()).toBeGreaterThan(0)
  }
  for (let n = 0; n <= 2 * UNREAD_STEPS; n++) clock.move(STEP_MS)
  expect([socket.destroyed, waiting.destroyed]).toEqual([true, false])
})

describe("requests that get no answer", () => {
  /** A server that answers nothing but refusals, with a burst of requests on each of some connections. */
  const burst = async (connections: number, requests: number) => {
    const pipelined = new Pipelined(machineClock)
    const [asked, lines] = [new Map<Socket, number>(), new Set<Socket>()]
    const server = createServer((request, response) => {
      asked.set(request.socket, (asked.get(request.socket) ?? 0) + 1)
      if (!pipelined.admits(request.socket, response, request)) response.setHeader("connection", "close").end()
    })
    server.on("connection", (socket: Socket) => {
      pipelined.meet(socket)
      lines.add(socket)
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const clients = Array.from({ length: connections }, () =>
      connect((server.address() as AddressInfo).port, "127.0.0.1")
    )
    ends.push(
      () => clients.forEach((client) => client.destroy()),
      () => void server.close()
    )
    for (const client of clients) client.on("error", () => undefined)
    await Promise.all(clients.map((client) => once(client, "connect")))
    for (const client of clients) client.write(WHOLE.repeat(requests))
    return { asked, lines, clients }
  }

  test("take no memory, on however many connections they come at the same time", async () => {
    const { asked, clients, lines } = await burst(100, 2000)
    await waitFor(() => asked.size === clients.length, { describe: "requests on each connection" })
    await waitFor(() => [...lines].every(({ bytesRead }) => bytesRead === 2000 * WHOLE.length), {
      describe: "all bytes to be read"
    })
    // Node keeps as many as were passed on.
    expect([...asked.values()].every((count) => count === PIPELINED_MAX + 1)).toBe(true)
  })

  test("end their connection at last, if the client never stops", async () => {
    const { asked, clients, lines } = await burst(1, 10)
    const [client] = clients
    const pour = (failed?: Error | null): void => {
      if (failed === undefined || failed === null) client?.write(WHOLE.repeat(2000), pour)
    }
    pour()
    const [line] = lines
    await waitFor(() => line?.destroyed === true, { describe: "the connection to end" })
    expect([...asked.values()]).toEqual([PIPELINED_MAX + 1])
  })
})
