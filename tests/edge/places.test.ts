/** Places for connections: who loses one when there are too few. Over real sockets. */
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { afterEach, expect, test } from "vitest"
import { LEAVING_MAX, Places } from "../../schemas/runtime/places.ts"
import { onWhole } from "../../edge/http/whole.ts"
import { waitFor } from "../harness/index.ts"
import { HALVES, HalfOpen } from "../support/half-open.ts"

const MAX = 12
const CLIENT_MAX = 8
const WHOLE = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

const ends: Array<() => void> = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A server that answers when it is told to. */
const held = async () => {
  const answers: Array<ServerResponse> = []
  const places = new Places<Socket>(MAX, CLIENT_MAX)
  const server = createServer((request, response) => {
    onWhole(request, response, (socket) => places.asks(socket))
    answers.push(response)
  })
  server.maxConnections = MAX + LEAVING_MAX
  server.on("connection", (socket) => places.meet(socket, socket.remoteAddress ?? ""))
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
  return { answers, lines }
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
