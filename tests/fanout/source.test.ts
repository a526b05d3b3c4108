/** The consumer of deliveries, as a worker reads it. */
import { Effect, Fiber } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { commitSource } from "../../actors/kit/worker/source.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { NO_TRACING } from "../../schemas/runtime/trace/tracing.ts"
import { consumers, streams } from "../../schemas/subjects.ts"
import { type EngineBus, startBus } from "../actors/engine/bus.ts"

const MOMENTS = 60

let bus: EngineBus
beforeAll(async () => {
  bus = await startBus()
})
afterAll(() => bus?.stop())

const waiting = async (): Promise<number> =>
  (await bus.manager.consumers.info(streams.events, consumers.webhooks)).num_waiting

test("a fetch that is interrupted, at whatever moment, leaves nothing open at the server", async () => {
  const left: Array<number> = []
  for (let moment = 0; moment < MOMENTS; moment++) {
    const source = commitSource(machineClock, bus.nats, NO_TRACING, consumers.webhooks)
    const fiber = Effect.runFork(source.fetch(10, () => undefined))
    if (moment % 2 === 1) await bus.nats.flush()
    for (let turn = 0; turn < moment / 2; turn++) await Promise.resolve()
    await Effect.runPromise(Fiber.interrupt(fiber))
    await bus.nats.flush()
    left.push(await waiting())
  }
  expect(left).toEqual(left.map(() => 0))
})
