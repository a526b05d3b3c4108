/** The bus as askers have it: what of a connection is told, and what is its end. */
import { afterAll, beforeAll, expect, test } from "vitest"
import { transportOver } from "../../schemas/runtime/bus/transport.ts"
import { connectTo } from "../harness/index.ts"
import { openNats, type TestNats } from "./edge.ts"

let bus: TestNats

beforeAll(async () => {
  bus = await openNats()
})
afterAll(() => bus.stop())

test("a message over a connection that is closed, or closing, is dropped and told to nobody", async () => {
  const errors: Array<unknown> = []
  const nats = await connectTo(bus.url)
  const transport = transportOver(nats, (error) => errors.push(error))
  const drained = nats.drain()
  transport.publish("test.one", new Uint8Array(1), undefined)
  await drained
  expect(nats.isClosed()).toBe(true)
  transport.publish("test.one", new Uint8Array(1), undefined)
  expect(errors).toEqual([])
})

test("one that cannot be sent over a connection that is well is told", async () => {
  const errors: Array<unknown> = []
  const nats = await connectTo(bus.url)
  transportOver(nats, (error) => errors.push(error)).publish("", new Uint8Array(1), undefined)
  expect(errors).toHaveLength(1)
  await nats.close()
})
