/** Connections that ask for nothing keep no agent from its fill service. Over real sockets. */
import { once } from "node:events"
import { get, type IncomingMessage } from "node:http"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { afterEach, expect, test } from "vitest"
import { type LocalServer, serve } from "../../edge/fill/server.ts"
import { PIPELINED_MAX } from "../../schemas/runtime/pipelined.ts"
import { waitFor } from "../harness/index.ts"
import { framed, FRAMINGS } from "../support/framings.ts"
import { HALVES, HalfOpen } from "../support/half-open.ts"
import { GIVES_WAY_WITHIN_MS, leaveUnread, statusOf } from "../support/unread.ts"

const MORE_THAN_PLACES = 40
const LONG = "x".repeat(50_000)
const HEADERS = { "x-hub-vault": "1" }

let server: LocalServer | undefined
let half: HalfOpen | undefined
afterEach(async () => {
  half?.end()
  await server?.stop()
})

test.each(["head", "body"] as const)("more than there are places, that never end their %s", async (part) => {
  const users = [process.getuid?.() ?? 0]
  server = await serve({ port: 0, users }, { "/state": { method: "GET", run: () => Promise.resolve({ there: true }) } })
  half = new HalfOpen(Number(new URL(server.url).port))
  await half.open(MORE_THAN_PLACES, HALVES[part])
  const answer = await fetch(`${server.url}/state`, { headers: HEADERS })
  expect([answer.status, await answer.json()]).toEqual([200, { there: true }])
})

test("more than there are places, that take no byte of their answers", async () => {
  const users = [process.getuid?.() ?? 0]
  server = await serve({ port: 0, users }, { "/state": { method: "GET", run: () => Promise.resolve({ LONG }) } })
  const end = await leaveUnread({
    port: Number(new URL(server.url).port),
    each: MORE_THAN_PLACES,
    from: ["127.0.0.1"],
    path: "/state",
    headers: "X-Hub-Vault: 1\r\n",
    times: 5
  })
  try {
    const found = async () => (await statusOf(`${server?.url}/state`, HEADERS)) === 200
    await waitFor(found, { deadlineMs: GIVES_WAY_WITHIN_MS, describe: "a place for the agent" })
  } finally {
    await end()
  }
})

test("requests that come at once are answered up to a bound, and then the connection closes", async () => {
  const users = [process.getuid?.() ?? 0]
  let count = 0
  server = await serve({ port: 0, users }, { "/state": { method: "GET", run: () => Promise.resolve({ n: count++ }) } })
  const { port } = new URL(server.url)
  const socket = connect({ port: Number(port), host: "127.0.0.1" })
  const request = `GET /state HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Hub-Vault: 1\r\n\r\n`
  socket.write(request.repeat(3 * PIPELINED_MAX))
  const answers = await text(socket)
  const numbers = [...answers.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n))
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: PIPELINED_MAX }, (_, n) => n))
  expect(answers).toMatch(/HTTP\/1\.1 503 [^{]*connection: close\r\n[^{]*\{[^}]*"fill_busy"[^}]*\}$/i)
})

test.each(FRAMINGS)("a request %s is refused, and ends its connection", async (framing) => {
  const users = [process.getuid?.() ?? 0]
  server = await serve({ port: 0, users }, { "/state": { method: "GET", run: () => Promise.resolve({ there: true }) } })
  const asked = { path: "/state", headers: ["X-Hub-Vault: 1"] }
  expect(await framed(Number(new URL(server.url).port), framing, asked)).toEqual([400])
})

test("a target of another origin is found nowhere", async () => {
  const users = [process.getuid?.() ?? 0]
  server = await serve({ port: 0, users }, { "/state": { method: "GET", run: () => Promise.resolve({ there: true }) } })
  const port = Number(new URL(server.url).port)
  const asked = get({ port, host: "127.0.0.1", path: "http://elsewhere.example/state", headers: HEADERS })
  const [answer] = (await once(asked, "response")) as [IncomingMessage]
  expect(answer.resume().statusCode).toBe(404)
})
