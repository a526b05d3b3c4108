/**
 * Backs up a log of about 200,000 commits while the service runs on it, and restores it into an empty nats-server, with
 * the commands' own code.
 */
import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { jetstreamManager } from "@nats-io/jetstream"
import { connect } from "@nats-io/transport-node"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { backup } from "../backup/backup.ts"
import { checkedManifest } from "../backup/files.ts"
import type { Manifest } from "../backup/manifest.ts"
import { restore } from "../backup/restore.ts"
import { openService } from "../cli/connection.ts"
import { startNats } from "../launcher/nats.ts"
import { findNatsServer } from "../launcher/nats-binary.ts"
import { dataFolder } from "../launcher/paths.ts"
import { caughtUp, change, CHANGES, COMMITS_EACH } from "./million.ts"
import { registerDirectly } from "./registrations.ts"
import { startService } from "./subjects-under-test.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"

const REGISTERED = 20_000
const COMMITS = REGISTERED * (COMMITS_EACH + CHANGES)
const GAP = 10_000

const timed = async <T>(act: () => Promise<T>): Promise<{ readonly result: T; readonly seconds: number }> => {
  const began = performance.now()
  const result = await act()
  return { result, seconds: (performance.now() - began) / 1000 }
}

const sizes = ({ streams }: Manifest) => ({
  messages: streams.reduce((sum, { state, tail }) => sum + state.messages + tail.messages, 0),
  stored: streams.reduce((sum, { state }) => sum + state.bytes, 0) / 1e6,
  files: streams.reduce((sum, { snapshot, tail }) => sum + snapshot.bytes + tail.bytes, 0) / 1e6
})

export const backupCase = async (say: (line: string) => void): Promise<void> => {
  const scratch = await mkdtemp(join(tmpdir(), "hub-bench-"))
  const service = await startService(1, 1)
  const nats = await connect(busServers(service.stack.nats.operatorUrl, "operator") ?? { servers: [] })
  const view = await openService({
    HUB_NATS_URL: service.stack.nats.operatorUrl,
    HUB_DATABASE_URL: service.stack.postgres.url
  })
  const binary = await findNatsServer({
    env: process.env,
    dataDir: dataFolder(process.env),
    progress: say,
    signal: new AbortController().signal
  })
  const empty = await startNats({ binary, dataDir: join(scratch, "nats") })
  const target = await connect(busServers(empty.operatorUrl, "operator") ?? { servers: [] })
  try {
    const log = new JetStreamLog(machineClock, nats, {
      batchMax: LIMITS.service.commit_batch_max,
      queueMax: LIMITS.service.commit_queue_max
    })
    await change(log, await registerDirectly(log, REGISTERED))
    await caughtUp(view)
    const folder = join(scratch, "backup")
    const signal = new AbortController().signal
    const parts = { serviceKey: randomBytes(32).toString("base64"), signal, progress: () => undefined }
    const taken = await timed(() => backup(folder, { ...parts, nats, manager: view.manager }))
    const { messages, stored, files } = sizes(taken.result)
    const rate = (seconds: number): string =>
      `${seconds.toFixed(1)} s, ${(stored / seconds).toFixed(0)} MB and ${Math.round(messages / seconds)} messages a second`
    say(`\n${COMMITS} commits, ${stored.toFixed(1)} MB in JetStream, ${files.toFixed(1)} MB in the backup`)
    say(`backed up while it ran: ${rate(taken.seconds)}`)
    say(`checked: ${(await timed(() => checkedManifest(folder, signal))).seconds.toFixed(2)} s`)
    const into = {
      ...parts,
      nats: target,
      manager: await jetstreamManager(target),
      databaseUrl: service.stack.postgres.url,
      limits: LIMITS,
      replicas: null,
      cards: false,
      replace: true
    }
    say(`restored: ${rate((await timed(() => restore(folder, { ...into, gap: 0 }))).seconds)}`)
    say(
      `restored with the usual gap of ${GAP}: ${rate((await timed(() => restore(folder, { ...into, gap: GAP }))).seconds)}`
    )
  } finally {
    await target.close()
    await empty.stop()
    await view.close()
    await nats.close()
    await service.stop()
    await rm(scratch, { recursive: true, force: true })
  }
}
