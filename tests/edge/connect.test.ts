/** How a node writes to the bus: once a turn of its event loop, and nothing is lost or late by it. */
import { Socket } from "node:net"
import type { NatsConnection } from "@nats-io/transport-node"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { connectBus } from "../../edge/bus/connection.ts"
import { cutProxy } from "../harness/cut-proxy.ts"
import { connectTo, waitFor } from "../harness/index.ts"
import { openNats, type TestNats } from "./edge.ts"

const MANY = 100

let bus: TestNats
let other: NatsConnection
const heard: Array<string> = []

beforeAll(async () => {
  bus = await openNats()
  other = await connectTo(bus.url)
  other.subscribe("said.>", { callback: (_error, message) => void heard.push(message.string()) })
  await other.flush()
})
afterAll(async () => {
  await other?.close()
  await bus?.stop()
})

const aNode = (url = bus.url): Promise<NatsConnection> => connectBus(url, "a node")

/** Numbers in order, each in a microtask of its own. */
const say = async (nats: NatsConnection, subject: string): Promise<ReadonlyArray<string>> => {
  const said = Array.from({ length: MANY }, (_, index) => `${subject} ${index}`)
  for (const one of said) {
    nats.publish(subject, one)
    await Promise.resolve()
  }
  return said
}

const saidOn = (subject: string) => heard.filter((one) => one.startsWith(`${subject} `))

test("what one turn brings is written together, in its order", async () => {
  const node = await aNode()
  await node.flush()
  const one = vi.spyOn(Socket.prototype, "_write")
  const many = vi.spyOn(Socket.prototype, "_writev")
  // Idle nodes of other tests write to their servers meanwhile.
  const { socket } = (node as unknown as { protocol: { transport: { socket: Socket } } }).protocol.transport
  const writes = () => [...one.mock.contexts, ...many.mock.contexts].filter((written) => written === socket).length
  try {
    const said = await say(node, "said.together")
    expect(writes()).toBe(0)
    await waitFor(() => saidOn("said.together").length === MANY)
    expect(saidOn("said.together")).toEqual(said)
    expect(writes()).toBe(1)
  } finally {
    one.mockRestore()
    many.mockRestore()
    await node.close()
  }
})

test("what was said before the end is heard", async () => {
  const node = await aNode()
  const said = await say(node, "said.last")
  await node.close()
  await waitFor(() => saidOn("said.last").length === MANY)
  expect(saidOn("said.last")).toEqual(said)
})

test("a line that was cut is taken up again, with the same way of writing", async () => {
  const line = await cutProxy({ target: bus.url })
  const node = await aNode(line.url)
  try {
    const statuses = node.status()[Symbol.asyncIterator]()
    const until = async (type: string): Promise<void> => {
      for (let next = await statuses.next(); next.done !== true; next = await statuses.next())
        if (next.value.type === type) return
    }
    line.cut()
    await until("disconnect")
    line.heal()
    await until("reconnect")
    const said = await say(node, "said.again")
    await waitFor(() => saidOn("said.again").length === MANY)
    expect(saidOn("said.again")).toEqual(said)
  } finally {
    await node.close()
    await line.close()
  }
})
