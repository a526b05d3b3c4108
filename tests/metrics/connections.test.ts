/** Connections that ask for nothing keep no scraper away. Over real sockets. */
import { createServer } from "node:http"
import { afterEach, expect, test } from "vitest"
import { listenForScrapes } from "../../schemas/runtime/metrics/listener.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { Meter } from "../../schemas/runtime/metrics/meter.ts"
import { drawPort } from "../../ops/launcher/ports.ts"
import { waitFor } from "../harness/index.ts"
import { framed, FRAMINGS } from "../support/framings.ts"
import { HALVES, HalfOpen } from "../support/half-open.ts"
import { GIVES_WAY_WITHIN_MS, leaveUnread, statusOf } from "../support/unread.ts"

const MORE_THAN_PLACES = 40
const PLACES_OF_ONE = 16
const SERIES = 2000
const ends: Array<() => Promise<void> | void> = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

test.each(["127.0.0.1", "127.0.0.2"])("more of %s than there are places", async (from) => {
  const port = await drawPort()
  ends.push(
    await listenForScrapes(createServer, new Meter(machineClock), { port, host: "127.0.0.1", ready: () => true })
  )
  const half = new HalfOpen(port)
  ends.push(() => half.end())
  await half.open(MORE_THAN_PLACES, HALVES.head, from)
  for (const path of ["ready", "metrics"]) {
    const answer = await fetch(`http://127.0.0.1:${port}/${path}`)
    expect(answer.status).toBe(200)
    await answer.text()
  }
})

test("connections that take no byte of their answers give way", async () => {
  const port = await drawPort()
  const meter = new Meter(machineClock)
  for (let n = 0; n < SERIES; n++) meter.gauge("wide", "More than buffers hold.", () => n, { series: `number ${n}` })
  ends.push(await listenForScrapes(createServer, meter, { port, host: "127.0.0.1", ready: () => true }))
  ends.push(
    await leaveUnread({
      port,
      each: PLACES_OF_ONE,
      from: ["127.0.0.2", "127.0.0.3"],
      path: "/metrics",
      times: 5
    })
  )
  await waitFor(async () => (await statusOf(`http://127.0.0.1:${port}/ready`)) === 200, {
    deadlineMs: GIVES_WAY_WITHIN_MS,
    describe: "a place"
  })
})

test.each(FRAMINGS)("a request %s is refused, and ends its connection", async (framing) => {
  const port = await drawPort()
  ends.push(
    await listenForScrapes(createServer, new Meter(machineClock), { port, host: "127.0.0.1", ready: () => true })
  )
  expect(await framed(port, framing, { path: "/ready" })).toEqual([400])
})
