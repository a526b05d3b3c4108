/** Measures the commit path of one actor node: the engine's log alone, with as many commits as it accepts. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect } from "@nats-io/transport-node"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { ensureStreams } from "../../actors/log/streams.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { subjects } from "../../schemas/subjects.ts"
import { startNats } from "../launcher/nats.ts"
import { findNatsServer } from "../launcher/nats-binary.ts"
import { dataFolder } from "../launcher/paths.ts"

const WRITERS = 256
const COMMITS = 100_000

export const commitPath = async (say: (line: string) => void): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "hub-bench-"))
  const binary = await findNatsServer({
    env: process.env,
    dataDir: dataFolder(process.env),
    progress: say,
    signal: new AbortController().signal
  })
  const server = await startNats({ binary, dataDir: folder })
  const nats = await connect(busServers(server.operatorUrl, "operator") ?? { servers: [] })
  try {
    await ensureStreams(nats, LIMITS, 1)
    const { commit_batch_max, commit_queue_max } = LIMITS.service
    const log = new JetStreamLog(machineClock, nats, { batchMax: commit_batch_max, queueMax: commit_queue_max })
    await write(log, "warm", 10_000)
    const began = performance.now()
    const before = process.cpuUsage()
    await write(log, "timed", COMMITS)
    const seconds = (performance.now() - began) / 1000
    const { user, system } = process.cpuUsage(before)
    say(
      `\nbare commit path, ${WRITERS} writers: ${(COMMITS / seconds).toFixed(0)} commits/s, ` +
        `${((user + system) / COMMITS).toFixed(1)} us of CPU in the node each, fsynced`
    )
  } finally {
    await nats.close()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

export const write = async (log: JetStreamLog, name: string, count: number, writers = WRITERS): Promise<void> => {
  let begun = 0
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const subject = subjects.event("bench", `${name}-${writer}`)
      let expected = 0
      while (begun < count) {
        const id = `${name}-${begun++}`
        const result = await log.append([
          {
            subject,
            expected,
            commit: { v: 1, id, op: "bench.write", at: Date.now(), events: [{ type: "bench.written", v: 1 }] }
          }
        ])
        if (!result.ok) throw new Error(`a commit was refused: ${result.reason}`)
        expected = result.seqs[0] ?? 0
      }
    })
  )
}
