/** A service whose log holds a million commits of agents, and whose read models have applied all of them. */
import { connect, type NatsConnection } from "@nats-io/transport-node"
import { agentProjection } from "../../actors/agent/projection.ts"
import type { AgentEvent } from "../../actors/agent/state.ts"
import type { EventLog } from "../../actors/log/commit.ts"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { subjects } from "../../schemas/subjects.ts"
import { openService } from "../cli/connection.ts"
import { projected, registerDirectly } from "./registrations.ts"
import { startService } from "./subjects-under-test.ts"

export const REGISTERED = 100_000
/** Registration makes three commits, one of which has two events. */
export const COMMITS_EACH = 3
export const CHANGES = 7
const IN_FLIGHT = 1024
export const COMMITS = REGISTERED * (COMMITS_EACH + CHANGES)
const CATCH_UP_TRIES = 2000
const CATCH_UP_PAUSE_MS = 100

interface Million {
  readonly service: Awaited<ReturnType<typeof startService>>
  readonly nats: NatsConnection
  readonly view: Awaited<ReturnType<typeof openService>>
  /** Seconds from the last commit until the read models have it. */
  readonly behindSeconds: number
}

export const withMillion = async (use: (million: Million) => Promise<void>): Promise<void> => {
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
    const began = performance.now()
    await projected(service.baseUrl, REGISTERED)
    await caughtUp(view)
    await use({ service, nats, view, behindSeconds: (performance.now() - began) / 1000 })
  } finally {
    await view.close()
    await nats.close()
    await service.stop()
  }
}

export const change = async (log: EventLog, ids: ReadonlyArray<string>): Promise<void> => {
  const stands = new Map<string, number>()
  for (let round = 0; round < CHANGES; round++) {
    let next = 0
    await Promise.all(
      Array.from({ length: IN_FLIGHT }, async () => {
        while (next < ids.length) {
          const id = ids[next++] ?? ""
          const subject = subjects.event("agent", id)
          const expected = stands.get(id) ?? (await log.lastSeq(subject))
          const result = await log.append([
            {
              subject,
              expected,
              commit: { v: 1, id: `${id}-${round}`, op: "bench.change", at: Date.now(), events: [changeOf(round)] }
            }
          ])
          if (!result.ok) throw new Error(`a change was refused: ${result.reason}`)
          stands.set(id, result.seqs[0] ?? 0)
        }
      })
    )
  }
}

const changeOf = (round: number): AgentEvent =>
  round % 2 === 0
    ? {
        type: "agent.profile_changed",
        v: 1,
        description: `An agent of the benchmark, with version ${round} of a description of ordinary length.`
      }
    : {
        type: "agent.score_changed",
        v: 1,
        entry: 2 + (round - 1) / 2,
        score: "reputation",
        delta: 2,
        value: round + 1,
        reason: "upvote",
        target_type: null,
        target_id: null
      }

export const caughtUp = async ({ db, manager }: Awaited<ReturnType<typeof openService>>): Promise<void> => {
  for (let tries = 0; tries < CATCH_UP_TRIES; tries++) {
    const head = (await manager.streams.info(agentProjection.stream)).state.last_seq
    const row = await db
      .selectFrom("projections")
      .select("seq")
      .where("name", "=", agentProjection.name)
      .executeTakeFirst()
    if (Number(row?.seq ?? 0) >= head) return
    await new Promise((resolve) => setTimeout(resolve, CATCH_UP_PAUSE_MS))
  }
  throw new Error("the read models did not catch up")
}
