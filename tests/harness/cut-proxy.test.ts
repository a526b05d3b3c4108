import { once } from "node:events"
import { connect, createServer } from "node:net"
import type { AddressInfo, Server, Socket } from "node:net"
import { afterEach, beforeEach, expect, test } from "vitest"
import { cutProxy, waitFor } from "./index.ts"
import type { CutProxy } from "./index.ts"

let echo: Server
let proxy: CutProxy

beforeEach(async () => {
  echo = createServer((socket) => {
    socket.on("error", () => undefined)
    socket.pipe(socket)
  })
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve))
  proxy = await cutProxy({ target: `nats://127.0.0.1:${(echo.address() as AddressInfo).port}` })
})
afterEach(async () => {
  await proxy.close()
  await new Promise((resolve) => echo.close(resolve))
})

interface Client {
  readonly socket: Socket
  heard: string
}

async function client(): Promise<Client> {
  const socket = connect(proxy.port, "127.0.0.1")
  const it: Client = { socket, heard: "" }
  socket.on("data", (chunk) => (it.heard += chunk.toString("utf8")))
  await once(socket, "connect")
  return it
}

test("keeps the scheme and host of the target", () => {
  expect(proxy.url).toBe(`nats://127.0.0.1:${proxy.port}`)
})

test("passes bytes both ways", async () => {
  const it = await client()
  it.socket.write("hello")
  await waitFor(() => it.heard === "hello")
  it.socket.destroy()
  await waitFor(() => proxy.connections() === 0, { describe: "the end of the connection" })
})

test("a cut resets what is open and refuses what is new; healed, it takes connections again", async () => {
  const it = await client()
  it.socket.write("hello")
  await waitFor(() => it.heard === "hello")
  const reset = once(it.socket, "error")
  proxy.cut()
  expect(await reset).toMatchObject([{ code: "ECONNRESET" }])
  const refused = connect(proxy.port, "127.0.0.1")
  expect(await once(refused, "error")).toMatchObject([{ code: "ECONNRESET" }])
  proxy.heal()
  const again = await client()
  again.socket.write("again")
  await waitFor(() => again.heard === "again")
  again.socket.destroy()
})

test("a stall holds bytes back, of old and of new connections, and loses none", async () => {
  const it = await client()
  it.socket.write("1")
  await waitFor(() => it.heard === "1")
  proxy.stall()
  it.socket.write("2")
  const late = await client()
  late.socket.write("3")
  // A connection to the same server without the proxy shows that enough time has passed.
  const direct = connect((echo.address() as AddressInfo).port, "127.0.0.1")
  direct.write("x")
  await once(direct, "data")
  direct.destroy()
  expect([it.heard, late.heard]).toEqual(["1", ""])
  proxy.heal()
  await waitFor(() => it.heard === "12" && late.heard === "3")
  it.socket.destroy()
  late.socket.destroy()
})
