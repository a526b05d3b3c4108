/** A service with the log of a community, whose read models have applied all of it. */
import { connect, type NatsConnection } from "@nats-io/transport-node"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { PROJECTIONS } from "../../actors/process/projections.ts"
import { REACTIONS } from "../../actors/process/reactions.ts"
import { keepMark } from "../../actors/reactions/marks.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { openService, type Service } from "../cli/connection.ts"
import { clusterOf } from "../status/cluster.ts"
import { type Community, writeCommunity } from "./community.ts"
import { type BenchStack, startService } from "./subjects-under-test.ts"

const CATCH_UP_TRIES = 600
const CATCH_UP_PAUSE_MS = 1000

interface CommunityService {
  readonly service: BenchStack
  readonly view: Service
  readonly community: Community
}

/** Marks all reactions as done: the log has the reactions to these commits already, or they do not matter here. */
const reactionsDone = async (nats: NatsConnection, seq: number): Promise<void> => {
  for (const { name } of REACTIONS) await keepMark(nats, name, { seq, revision: 0 })
}

const caughtUp = async (view: Service): Promise<void> => {
  for (let tries = 0; tries < CATCH_UP_TRIES; tries++) {
    const { read_models: models } = await clusterOf(view)
    if (models !== null && models.length === PROJECTIONS.length && models.every(({ lag }) => lag === 0)) return
    await new Promise((resolve) => setTimeout(resolve, CATCH_UP_PAUSE_MS))
  }
  throw new Error("the read models did not catch up")
}

export const withCommunity = async (
  consolePort: number | undefined,
  use: (world: CommunityService) => Promise<void>
): Promise<void> => {
  let community: Community | undefined
  const filled = async (natsUrl: string): Promise<void> => {
    const nats = await connect(busServers(natsUrl, "operator") ?? { servers: [] })
    try {
      const { commit_batch_max: batchMax, commit_queue_max: queueMax } = LIMITS.service
      const log = new JetStreamLog(machineClock, nats, { batchMax, queueMax })
      community = await writeCommunity(log)
      await reactionsDone(nats, community.last)
    } finally {
      await nats.close()
    }
  }
  const service = await startService(1, 1, { filled, ...(consolePort === undefined ? {} : { consolePort }) })
  const view = await openService({
    HUB_NATS_URL: service.stack.nats.operatorUrl,
    HUB_DATABASE_URL: service.stack.postgres.url
  })
  try {
    if (community === undefined) throw new Error("the log was not written")
    await caughtUp(view)
    await use({ service, view, community })
  } finally {
    await view.close()
    await service.stop()
  }
}
