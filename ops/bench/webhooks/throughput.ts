/** Measures the throughput of one worker process, and its cost beside a plain loop of POSTs. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { cpuOf } from "../cpu.ts"
import { median, until } from "./measure.ts"
import { type Sink, sink } from "./sink.ts"
import { type BenchAgent, bodyOf, end, makeAgents, queue, startWorker, type World } from "./world.ts"

const AGENTS = 200
const DELIVERIES = 20_000
const ROUNDS = 3

interface Drained {
  readonly perSecond: number
  readonly workerUs: number
  readonly actorUs: number
}

/** Delivers a backlog that exists when the worker starts. */
const drain = async (world: World, agents: ReadonlyArray<BenchAgent>, receiver: Sink): Promise<Drained> => {
  let done = 0
  receiver.arrived = () => {
    done++
  }
  let queued = 0
  await Promise.all(
    Array.from({ length: 512 }, async () => {
      while (queued < DELIVERIES) await queue(world, agents[queued++ % agents.length] as BenchAgent)
    })
  )
  const worker = await startWorker(world)
  // The cost of the start and of compilation does not belong to deliveries.
  await until("the first deliveries", () => done > DELIVERIES * 0.2)
  const pids = [worker.pid ?? 0]
  const actors = world.service.measured.processes()["actors"] ?? []
  const from = { done, at: performance.now(), cpu: cpuOf(pids), actors: cpuOf(actors) }
  await until("the last deliveries", () => done >= DELIVERIES)
  const count = done - from.done
  const drained = {
    perSecond: (count * 1000) / (performance.now() - from.at),
    workerUs: (cpuOf(pids) - from.cpu) / count,
    actorUs: (cpuOf(actors) - from.actors) / count
  }
  await end(worker)
  return drained
}

/**
 * `perSecond` is `null` for the highest rate. The kernel then passes on many packets at once, so each POST is cheapest.
 */
const bareLoop = async (
  receiver: Sink,
  perSecond: number | null
): Promise<{ readonly seconds: number; readonly cpuUs: number }> => {
  receiver.arrived = () => undefined
  const child = spawn(process.execPath, ["--no-warnings", join(import.meta.dirname, "..", "post-loop.ts")], {
    stdio: ["ignore", "inherit", "inherit", "ipc"]
  })
  await once(child, "message")
  const order = { port: receiver.port, body: bodyOf("hx0123456789abcdef01234567", 1_000_000) }
  const run = async (count: number) => {
    child.send({ ...order, count, perSecond })
    const [result] = (await once(child, "message")) as [{ readonly seconds: number; readonly cpuUs: number }]
    return result
  }
  await run(DELIVERIES * 0.1)
  const result = await run(DELIVERIES / 2)
  child.disconnect()
  await once(child, "exit")
  return result
}

export const throughput = async (world: World, say: (line: string) => void): Promise<void> => {
  const receiver = await sink(true)
  const agents = await makeAgents(
    world,
    Array.from({ length: AGENTS }, () => receiver.url)
  )
  const ratios: Array<readonly [number, number]> = []
  for (let round = 0; round < ROUNDS; round++) {
    const full = await bareLoop(receiver, null)
    const { perSecond, workerUs, actorUs } = await drain(world, agents, receiver)
    const paced = await bareLoop(receiver, perSecond)
    ratios.push([workerUs / paced.cpuUs, workerUs / full.cpuUs])
    say(
      `  round ${round + 1}: ${perSecond.toFixed(0)} deliveries/s from one worker, ` +
        `CPU of the worker ${workerUs.toFixed(0)} us each ` +
        `(actors besides, which sign, log and project: ${actorUs.toFixed(0)} us); ` +
        `bare loop at the same rate ${paced.cpuUs.toFixed(0)} us, ratio ${(workerUs / paced.cpuUs).toFixed(2)}; ` +
        `at full speed ${full.cpuUs.toFixed(0)} us, ratio ${(workerUs / full.cpuUs).toFixed(2)}`
    )
  }
  const [same, fastest] = [median(ratios.map(([paced]) => paced)), median(ratios.map(([, full]) => full))]
  say(
    "  CPU of the worker beside a bare loop that signs the same bodies: " +
      `median ${same.toFixed(2)} times at the same rate, ${fastest.toFixed(2)} times beside its full speed`
  )
  receiver.close()
}
