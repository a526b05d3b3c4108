/** Wires the edge's held requests: for notifications, for owners' answers, and for mail. */
import type { NatsConnection } from "@nats-io/transport-node"
import { type Clock, Effect, Result, type Scope } from "effect"
import type { Bus } from "../bus/bus.ts"
import type { Limits } from "../../schemas/limits.ts"
import { HeldLists } from "./held.ts"
import { Holder } from "./holding.ts"
import { Streams } from "./streams.ts"
import { Watch } from "./watch.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"

/**
 * The most requests of one agent that one edge holds for its owners: one for each purpose (actors/agent/owner/held.ts).
 */
const FOR_OWNERS_PER_AGENT_MAX = 4
/** The most requests of one agent that one edge holds for mail. */
const FOR_MAIL_PER_AGENT_MAX = 4

export interface Notifications {
  readonly lists: HeldLists
  readonly streams: Streams
  /** Held lists of notifications. */
  readonly waiting: Holder
  /** Held requests for an answer of an owner. */
  readonly forOwners: Holder
  /** Held requests for codes that come by mail. */
  readonly forMail: Holder
}

export const notificationsOf = (clock: Clock.Clock, nats: NatsConnection, bus: Bus, limits: Limits): Notifications => {
  const look = async (agents: ReadonlyArray<string>) => {
    const within = { deadline: wallMs(clock) + limits.service.request_deadline_ms, call: null }
    const found = await Effect.runPromise(Effect.result(bus.query(within, "notifications_newest", { agents })))
    return Result.isSuccess(found) ? found.success : []
  }
  const watch = new Watch(clock, nats, look, limits.notifications)
  const { waits_max, waits_per_agent_max } = limits.notifications
  const waiting = new Holder(bus, watch, limits, { max: waits_max, perAgentMax: waits_per_agent_max })
  const forOwners = new Holder(bus, watch, limits, {
    max: limits.limits.owner.waits_max,
    perAgentMax: FOR_OWNERS_PER_AGENT_MAX
  })
  const forMail = new Holder(bus, watch, limits, { max: waits_max, perAgentMax: FOR_MAIL_PER_AGENT_MAX })
  return { lists: new HeldLists(bus, waiting), streams: new Streams(bus, watch, limits), waiting, forOwners, forMail }
}

/** Must be opened after the server. At the end, held requests are then released before the server waits for them. */
export const releaseAtEnd = ({
  waiting,
  forOwners,
  forMail,
  streams
}: Notifications): Effect.Effect<void, never, Scope.Scope> =>
  Effect.addFinalizer(() =>
    Effect.sync(() => {
      waiting.close()
      forOwners.close()
      forMail.close()
      streams.close()
    })
  )
