/** Measures how much dead receivers delay the deliveries to others. */
import { setTimeout as delay } from "node:timers/promises"
import { median, quantile, until } from "./measure.ts"
import { sink } from "./sink.ts"
import { type BenchAgent, end, makeAgents, queue, startWorker, type World } from "./world.ts"

/** `RATE`: deliveries a second to all receivers together. */
const RECEIVERS = 40
const DEAD = 2
const RATE = 400
const FAIR_SECONDS = 8
const FAIR_ROUNDS = 5
/** The first seconds of a round, which do not count. The worker learns in them which receivers answer. */
const FAIR_WARM_SECONDS = 2
const STEP_MS = 10

/** Milliseconds from the log to a healthy receiver, for each delivery. */
const steady = async (world: World, dead: number): Promise<ReadonlyArray<number>> => {
  const receivers = await Promise.all(Array.from({ length: RECEIVERS }, (_, index) => sink(index >= dead)))
  const agents = await makeAgents(
    world,
    receivers.map(({ url }) => url)
  )
  const sentAt = new Map<string, number>()
  const took: Array<number> = []
  receivers.forEach((receiver, index) => {
    receiver.arrived = (id) => {
      const sent = sentAt.get(id)
      sentAt.delete(id)
      if (sent !== undefined && index >= dead) took.push(performance.now() - sent)
    }
  })
  const worker = await startWorker(world)
  let healthy = 0
  const began = performance.now()
  for (let step = 0; step * STEP_MS < FAIR_SECONDS * 1000; step++) {
    await delay(Math.max(0, began + step * STEP_MS - performance.now()))
    for (let count = 0; count < (RATE * STEP_MS) / 1000; count++) {
      const index = (step * ((RATE * STEP_MS) / 1000) + count) % RECEIVERS
      if (index >= dead) healthy++
      sentAt.set(`ntf_${world.numbers + 1}`, performance.now())
      void queue(world, agents[index] as BenchAgent)
    }
  }
  await until("the healthy receivers' deliveries", () => took.length >= healthy)
  await end(worker)
  for (const receiver of receivers) receiver.close()
  return took.slice(RATE * FAIR_WARM_SECONDS)
}

export const fairness = async (world: World, say: (line: string) => void): Promise<void> => {
  const ratios: Array<number> = []
  const p99 = async (dead: number): Promise<number> => quantile(await steady(world, dead), 0.99)
  for (let round = 0; round < FAIR_ROUNDS; round++) {
    // The order alternates, so that slow changes of the machine do not always affect the same one.
    const first = await p99(round % 2 === 0 ? 0 : DEAD)
    const second = await p99(round % 2 === 0 ? DEAD : 0)
    const [without, beside] = round % 2 === 0 ? [first, second] : [second, first]
    ratios.push(beside / without)
    say(
      `  round ${round + 1}: ${RATE} deliveries/s to ${RECEIVERS} receivers: p99 ${without.toFixed(1)} ms; ` +
        `with ${DEAD} of them dead ${beside.toFixed(1)} ms for the others; ratio ${(beside / without).toFixed(2)}`
    )
  }
  say(`  p99 of the healthy beside dead receivers: median ${median(ratios).toFixed(2)} times`)
}
