/** The exporter against a collector that is well, slow, refusing, away: nothing waits for it, nothing piles up. */
import { once } from "node:events"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { Clock } from "effect"
import { machineClock, monotonicMs } from "../../schemas/runtime/clock.ts"
import {
  BATCH_MAX,
  Exporter,
  PAUSE_MIN_MS,
  POST_TIMEOUT_MS,
  QUEUE_MAX,
  STOP_WITHIN_MS
} from "../../schemas/runtime/trace/exporter.ts"
import { tracingInto } from "../../schemas/runtime/trace/tracing.ts"
import { standingClock, waitFor } from "../harness/index.ts"
import { type Collector, hanging, refusing, startCollector, taking } from "../support/collector.ts"

const SECRET = "Bearer correct-horse"

let collector: Collector
const lines: Array<string> = []
const exporters: Array<Exporter> = []
beforeEach(async () => {
  collector = await startCollector()
  lines.length = 0
})
afterEach(async () => {
  for (const exporter of exporters.splice(0)) await exporter.stop()
  await collector.stop()
  expect(collector.faults).toEqual([])
  expect(lines.join()).not.toContain("correct-horse")
})

const exporterTo = (base: string, clock: Clock.Clock = machineClock): Exporter => {
  const exporter = new Exporter(
    clock,
    { url: `${base}/v1/traces`, headers: { authorization: SECRET } },
    { name: "a", instance: "1" },
    (line) => void lines.push(line)
  )
  exporters.push(exporter)
  return exporter
}

const fill = (exporter: Exporter, count: number): void => {
  const tracing = tracingInto(exporter, 1)
  for (let number = 0; number < count; number++)
    tracing.begin("step", "server", undefined)?.set("hub.sequence", number).end()
}
const sequences = (): ReadonlyArray<unknown> => collector.spans.map(({ attributes }) => attributes["hub.sequence"])
const upTo = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, number) => number)

describe("a collector that is well", () => {
  test("gets everything, in order, in bounded batches, with its header", async () => {
    const exporter = exporterTo(collector.url)
    fill(exporter, BATCH_MAX * 3 + 7)
    await waitFor(() => collector.spans.length === BATCH_MAX * 3 + 7)
    expect(sequences()).toEqual(upTo(BATCH_MAX * 3 + 7))
    expect(collector.requests()).toBe(4)
    expect(collector.raw.every((one) => one.includes(SECRET))).toBe(true)
    await waitFor(() => exporter.counts.sent === BATCH_MAX * 3 + 7)
    expect(exporter.counts).toMatchObject({ lost: 0, waiting: 0 })
    expect(lines).toEqual([])
  })

  test("gets at the end what had not left yet", async () => {
    const exporter = exporterTo(collector.url)
    fill(exporter, BATCH_MAX - 1)
    expect(collector.requests()).toBe(0)
    await exporter.stop()
    expect(sequences()).toEqual(upTo(BATCH_MAX - 1))
  })
})

describe("a collector that hangs", () => {
  test("holds up nobody, and what waits for it is bounded: the oldest goes", async () => {
    collector.behave(hanging)
    const exporter = exporterTo(collector.url)
    fill(exporter, BATCH_MAX)
    await waitFor(() => collector.requests() === 1)
    const more = QUEUE_MAX * 3
    fill(exporter, more)
    expect(exporter.counts).toEqual({ sent: 0, lost: more - QUEUE_MAX, waiting: QUEUE_MAX })
    expect(collector.requests()).toBe(1)
  })

  test("does not keep a process from ending", async () => {
    collector.behave(hanging)
    const clock = standingClock()
    const exporter = exporterTo(collector.url, clock)
    fill(exporter, 10)
    const began = monotonicMs(clock)
    const stopped = exporter.stop()
    await waitFor(() => collector.requests() === 1)
    clock.move(STOP_WITHIN_MS)
    await stopped
    // Long before the collector is given up.
    expect(monotonicMs(clock) - began).toBeLessThan((STOP_WITHIN_MS + POST_TIMEOUT_MS) / 2)
    expect(exporter.counts).toEqual({ sent: 0, lost: 10, waiting: 0 })
    expect(lines.at(-1)).toContain("10 spans were lost")
  })
})

describe("a collector that refuses", () => {
  test("what it refuses for good is gone, what it cannot take now comes again, and each is said once", async () => {
    collector.behave(refusing(500))
    const exporter = exporterTo(collector.url)
    fill(exporter, 5)
    await waitFor(() => exporter.counts.lost === 5)
    collector.behave(refusing(503, { "retry-after": "1" }))
    fill(exporter, 5)
    const before = collector.requests()
    await waitFor(() => collector.requests() > before)
    await waitFor(() => exporter.counts.waiting === 5)
    collector.behave(taking)
    await waitFor(() => collector.spans.length === 5)
    await waitFor(() => exporter.counts.sent === 5)
    expect(exporter.counts).toMatchObject({ lost: 5, waiting: 0 })
    expect(lines).toEqual([
      expect.stringContaining("it answered 500"),
      expect.stringContaining("takes them again; 5 spans were lost")
    ])
  })

  test("is asked ever more seldom, and its wish counts", async () => {
    collector.behave(refusing(503))
    const exporter = exporterTo(collector.url)
    fill(exporter, BATCH_MAX)
    await waitFor(() => exporter.counts.waiting === BATCH_MAX)
    fill(exporter, QUEUE_MAX)
    await waitFor(() => collector.requests() === 2)
    collector.behave(refusing(429, { "retry-after": "3" }))
    await waitFor(() => collector.requests() === 4)
    const [first = 0, second = 0, third = 0, fourth = 0] = collector.times
    expect(second - first).toBeGreaterThan(PAUSE_MIN_MS * 0.7)
    expect(third - second).toBeGreaterThan(PAUSE_MIN_MS * 1.1)
    expect(fourth - third).toBeGreaterThan(2900)
    expect(exporter.counts).toMatchObject({ sent: 0, lost: BATCH_MAX })
    expect(lines).toHaveLength(1)
  })

  test("is not followed elsewhere: the header is for it alone", async () => {
    const other = await startCollector()
    collector.behave(refusing(307, { location: `${other.url}/v1/traces` }))
    const exporter = exporterTo(collector.url)
    fill(exporter, 1)
    await waitFor(() => exporter.counts.lost === 1)
    expect(other.requests()).toBe(0)
    await other.stop()
  })
})

describe("a collector that is not there", () => {
  test("is said once, by a word and not by its address; at its return it gets what was kept", async () => {
    const port = await freePort()
    const exporter = exporterTo(`http://127.0.0.1:${port}`)
    fill(exporter, 3)
    await waitFor(() => lines.length === 1)
    expect(lines[0]).toContain("ECONNREFUSED")
    expect(lines[0]).not.toContain(String(port))
    const back = await startCollector(port)
    await waitFor(() => back.spans.length === 3)
    await back.stop()
  })
})

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}
