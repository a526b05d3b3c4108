/** Requests and their answers, as every part of the actors' side makes them. */
import type { Msg, MsgHdrs, NatsConnection } from "@nats-io/transport-node"
import { afterAll, beforeAll, expect, test } from "vitest"
import { requestsOf, requestStream } from "../../../actors/log/requests.ts"
import { Requests } from "../../../schemas/runtime/bus/requests.ts"
import { openNats, type TestNats } from "../../edge/edge.ts"
import { standingClock } from "../../harness/clock.ts"
import { connectTo, waitFor } from "../../harness/index.ts"

const LONG_MS = 60_000
const SHORT_MS = 200

let bus: TestNats
let here: NatsConnection
let there: NatsConnection

beforeAll(async () => {
  bus = await openNats()
  here = await connectTo(bus.url)
  there = await connectTo(bus.url)
})
afterAll(async () => {
  await Promise.all([here?.close(), there?.close()])
  await bus?.stop()
})

const answers = async (subject: string, answer: (message: Msg) => void): Promise<void> => {
  there.subscribe(subject, { callback: (_error, message) => answer(message) })
  await there.flush()
}
const textOf = (message: Msg | null): string | null => message?.string() ?? null

test("each hears its own answer, whatever order they come in, by one client of the connection", async () => {
  const held: Array<Msg> = []
  await answers("held.*", (message) => held.push(message))
  const all = Array.from({ length: 50 }, (_, index) =>
    requestsOf(here).request(`held.${index}`, `${index}`, LONG_MS).then(textOf)
  )
  await waitFor(() => held.length === all.length)
  for (const message of held.toReversed()) message.respond(`to ${message.string()}`)
  expect(await Promise.all(all)).toEqual(all.map((_, index) => `to ${index}`))
  expect(requestsOf(here)).toBe(requestsOf(here))
})

test("that nobody listens is an answer, and that nobody answers in time is none", async () => {
  expect((await requestsOf(here).request("nobody", undefined, LONG_MS))?.headers?.code).toBe(503)
  await answers("silent", () => undefined)
  expect(await requestsOf(here).request("silent", undefined, SHORT_MS)).toBeNull()
})

test("a stream without a leader is asked until it has one, or the time is up", async () => {
  const asked = requestStream(here, "leader", "x", { timeout: LONG_MS })
  await requestsOf(here).request("nobody", undefined, LONG_MS)
  await answers("leader", (message) => message.respond(`led ${message.string()}`))
  expect(textOf(await asked)).toBe("led x")
  await expect(requestStream(here, "no-leader", undefined, { timeout: SHORT_MS })).rejects.toThrow("did not answer")
})

test("one that hears many answers hears them in order, until it has heard enough", async () => {
  await answers("many", (message) => {
    for (const text of ["1", "2", "3", "4"]) message.respond(text)
    there.publish(`${message.reply}`, "5")
  })
  const heard: Array<string | null> = []
  await new Promise<void>((resolve) => {
    const number = requestsOf(here).send("many", undefined, LONG_MS, (message) => {
      heard.push(textOf(message))
      if (heard.length < 3) return
      requestsOf(here).forget(number)
      resolve()
    })
  })
  await requestsOf(here).request("nobody", undefined, LONG_MS)
  await here.flush()
  expect(heard).toEqual(["1", "2", "3"])
})

test("what waits is given up at once where that is said, and where the connection is closed nothing is sent", async () => {
  const line = await connectTo(bus.url)
  const waiting = requestsOf(line).request("silent", undefined, LONG_MS)
  requestsOf(line).giveUp()
  expect(await waiting).toBeNull()
  const unused = await connectTo(bus.url)
  await Promise.all([line.close(), unused.close()])
  expect(await requestsOf(unused).request("silent", undefined, LONG_MS)).toBeNull()
  expect(await requestsOf(line).request("silent", undefined, LONG_MS)).toBeNull()
})

test("keeps no timer once nothing waits: a connection that is closed is forgotten", async () => {
  const clock = standingClock()
  let reply = ""
  let hear: (error: Error | null, message: Msg) => void = () => undefined
  const requests = new Requests<Msg, MsgHdrs>(
    clock,
    {
      publish: (_subject, _payload, options) => void (reply = options?.reply ?? ""),
      subscribe: (_subject, { callback }) => void (hear = callback)
    },
    () => "inbox"
  )
  const [answered, late] = [requests.request("a", undefined, SHORT_MS), requests.request("b", undefined, SHORT_MS)]
  hear(null, { subject: reply, data: new Uint8Array(1) } as Msg)
  expect([clock.waits().length, await late]).toEqual([1, expect.anything()])
  await clock.pass(2 * SHORT_MS)
  expect([await answered, clock.waits().length]).toEqual([null, 0])
})
