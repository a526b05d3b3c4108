/** Measures the identity directory with many agents: complete reads, and reads that find nothing new (spec 4.7). */
import { once } from "node:events"
import { get, Agent, type IncomingMessage } from "node:http"
import { connect } from "@nats-io/transport-node"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { cpuOf, residentBytes } from "./cpu.ts"
import { projected, registerDirectly } from "./registrations.ts"
import { type BenchStack, startService } from "./subjects-under-test.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"

const REGISTERED = 100_000
const WHOLE_READS = 3
const UNCHANGED_READS = 2_000

interface DirectoryReading {
  readonly status: number
  readonly etag: string
  readonly bytes: number
  readonly seconds: number
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

const read = async (baseUrl: string, etag: string): Promise<DirectoryReading> => {
  const began = performance.now()
  const request = get(`${baseUrl}/api/v1/id/directory`, {
    agent,
    headers: etag === "" ? {} : { "if-none-match": etag }
  })
  const [answer] = (await once(request, "response")) as [IncomingMessage]
  let bytes = 0
  for await (const chunk of answer) bytes += (chunk as Buffer).length
  return {
    status: answer.statusCode ?? 0,
    etag: answer.headers.etag ?? "",
    bytes,
    seconds: (performance.now() - began) / 1000
  }
}

const cpuOfAll = (service: BenchStack): number =>
  Object.values(service.measured.processes()).reduce((sum, pids) => sum + cpuOf(pids), 0)

export const directoryCases = async (say: (line: string) => void): Promise<void> => {
  const service = await startService(1, 1)
  const nats = await connect(busServers(service.stack.nats.operatorUrl, "operator") ?? { servers: [] })
  try {
    await registerDirectly(
      new JetStreamLog(machineClock, nats, {
        batchMax: LIMITS.service.commit_batch_max,
        queueMax: LIMITS.service.commit_queue_max
      }),
      REGISTERED
    )
    await projected(service.baseUrl, REGISTERED)
    const reads: Array<DirectoryReading> = []
    for (let count = 0; count < WHOLE_READS; count++) reads.push(await read(service.baseUrl, ""))
    const [first] = reads
    if (first === undefined || reads.some((one) => one.status !== 200)) throw new Error("the directory was not served")
    say(
      `\ndirectory of ${REGISTERED} agents: ${(first.bytes / 1e6).toFixed(1)} MB, ` +
        `read in ${reads.map((one) => one.seconds.toFixed(2)).join(" s, ")} s; the first makes it`
    )
    const before = cpuOfAll(service)
    for (let count = 0; count < UNCHANGED_READS; count++) {
      if ((await read(service.baseUrl, first.etag)).status !== 304) throw new Error("the directory changed by itself")
    }
    say(
      `unchanged (304): ${((cpuOfAll(service) - before) / UNCHANGED_READS / 1000).toFixed(2)} ms of CPU each, ` +
        "over all processes; the edge holds " +
        `${(residentBytes(service.measured.processes()["edges"]?.[0] ?? 0) / 1e6).toFixed(0)} MB`
    )
  } finally {
    agent.destroy()
    await nats.close()
    await service.stop()
  }
}
