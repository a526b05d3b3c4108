/** `hub at` over a log of a million commits, with its own code, while the service runs and has nothing to do. */
import { connect } from "@nats-io/transport-node"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { momentsAt } from "../at/moment.ts"
import { openService } from "../cli/connection.ts"
import { caughtUp, change, CHANGES, COMMITS_EACH } from "./rebuild.ts"
import { projected, registerDirectly } from "./registrations.ts"
import { startService } from "./subjects-under-test.ts"

const REGISTERED = 100_000
const MEGABYTE = 1_000_000

export const atCase = async (say: (line: string) => void): Promise<void> => {
  const service = await startService(1, 1)
  const nats = await connect(busServers(service.stack.nats.operatorUrl, "operator") ?? { servers: [] })
  const view = await openService({
    HUB_NATS_URL: service.stack.nats.operatorUrl,
    HUB_DATABASE_URL: service.stack.postgres.url
  })
  try {
    const log = new JetStreamLog(machineClock, nats, {
      batchMax: LIMITS.service.commit_batch_max,
      queueMax: LIMITS.service.commit_queue_max
    })
    await change(log, await registerDirectly(log, REGISTERED))
    await projected(service.baseUrl, REGISTERED)
    await caughtUp(view)
    const commits = REGISTERED * (COMMITS_EACH + CHANGES)
    say(`\n${commits} commits of ${REGISTERED} agents`)
    for (const points of [[commits], [commits / 2, commits]]) {
      const own = process.cpuUsage()
      const before = process.memoryUsage.rss()
      const began = performance.now()
      const moments = await momentsAt(
        view,
        points.map((seq) => ({ seq })),
        { progress: () => undefined, signal: new AbortController().signal }
      )
      const seconds = (performance.now() - began) / 1000
      const { user, system } = process.cpuUsage(own)
      const agents = moments.at(-1)?.counts["agent"]?.["active"] ?? 0
      say(
        `hub at${points.length > 1 ? " --against" : ""}: ${seconds.toFixed(1)} s, ${Math.round(commits / seconds)} commits a second; ` +
          `CPU a commit: ${((user + system) / commits).toFixed(1)} us; ${agents} active agents; ` +
          `${Math.round((process.memoryUsage.rss() - before) / MEGABYTE)} MB more resident`
      )
    }
  } finally {
    await view.close()
    await nats.close()
    await service.stop()
  }
}
