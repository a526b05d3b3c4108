/** The edge's held requests for notifications, put together. */
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect, Result, type Scope } from "effect"
import type { Bus } from "../bus/bus.ts"
import type { Limits } from "../../schemas/limits.ts"
import { HeldLists } from "./held.ts"
import { Streams } from "./streams.ts"
import { Watch } from "./watch.ts"

export interface Notifications {
  readonly lists: HeldLists
  readonly streams: Streams
}

export const notificationsOf = (nats: NatsConnection, bus: Bus, limits: Limits): Notifications => {
  const look = async (agents: ReadonlyArray<string>) => {
    const within = { deadline: Date.now() + limits.service.request_deadline_ms }
    const found = await Effect.runPromise(Effect.result(bus.query(within, "notifications_newest", { agents })))
    return Result.isSuccess(found) ? found.success : []
  }
  const watch = new Watch(nats, look, limits.notifications)
  return { lists: new HeldLists(bus, watch, limits), streams: new Streams(bus, watch, limits) }
}

/** To be opened behind the port: what is held is let go before the port waits for it. */
export const releaseAtEnd = ({ lists, streams }: Notifications): Effect.Effect<void, never, Scope.Scope> =>
  Effect.addFinalizer(() =>
    Effect.sync(() => {
      lists.close()
      streams.close()
    })
  )
