/** The edge's side of the bus, opened in one scope: connection, leases, asker. */
import { randomUUID } from "node:crypto"
import { createInbox, headers, type Msg, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node"
import { Clock, Effect, type Scope } from "effect"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { Asker } from "../../schemas/runtime/bus/asker.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { LeaseView } from "../../schemas/runtime/bus/lease-view.ts"
import { LeaseWatch } from "../../schemas/runtime/bus/lease-watch.ts"
import { QueryClient } from "../../schemas/runtime/bus/queries.ts"
import { Requests } from "../../schemas/runtime/bus/requests.ts"
import { inboxOf } from "../../schemas/bus/roles.ts"
import { transportOver } from "../../schemas/runtime/bus/transport.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { EdgeMetrics } from "../http/metrics.ts"
import { QueryPlaces } from "./query-places.ts"
import { Bus } from "./bus.ts"
import { connectBus, followLink, type Link } from "./connection.ts"

export interface EdgeBus {
  readonly name: string
  readonly nats: NatsConnection
  readonly link: Link
  readonly asker: Asker
  readonly bus: Bus
  readonly requests: Requests<Msg, MsgHdrs>
}

/** The most milliseconds to drain the connection. A bus that does not answer must not keep the process from ending. */
const DRAIN_MS = 1_000

const leave = (nats: NatsConnection): Effect.Effect<void> =>
  Effect.tryPromise(() => nats.drain()).pipe(
    Effect.timeout(DRAIN_MS),
    Effect.catch(() => Effect.promise(() => nats.close())),
    Effect.timeoutOrElse({ duration: DRAIN_MS, orElse: () => Effect.void })
  )

/** Ready once every existing lease has been read. */
export const openBus = (
  url: string,
  limits: Limits,
  metrics: EdgeMetrics
): Effect.Effect<EdgeBus, never, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const name = `edge-${randomUUID()}`
    const nats = yield* Effect.acquireRelease(
      Effect.promise(() => connectBus(url, name)),
      leave,
      { interruptible: true }
    )
    const view = new LeaseView()
    const transport = transportOver(nats, (error) => logNow("warn", "bus", { error }))
    const { max_asks_in_flight, max_frame_bytes } = limits.service
    const asker = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new Asker(
            clock,
            transport,
            view,
            { role: "edge", name },
            { maxInFlight: max_asks_in_flight, maxFrameBytes: max_frame_bytes },
            metrics.asks
          )
      ),
      (made) => Effect.sync(() => made.close())
    )
    const watch = new LeaseWatch({
      // The bus enforces leases by real time, so its timeouts use the machine's clock.
      clock: machineClock,
      nats,
      inbox: createInbox(inboxOf("edge")),
      view,
      onProblem: (error) => logNow("warn", "leases", { error })
    })
    const link = followLink(nats, () => watch.renewed())
    yield* Effect.acquireRelease(
      Effect.promise(() => watch.start()),
      () => Effect.sync(() => watch.stop()),
      { interruptible: true }
    )
    const requests = new Requests<Msg, MsgHdrs>(machineClock, nats, () => createInbox(inboxOf("edge")))
    const queries = new QueryClient(clock, requests, { newHeaders: headers, isClosed: () => nats.isClosed() })
    return {
      name,
      nats,
      link,
      asker,
      requests,
      bus: new Bus(clock, asker, queries, metrics.queries, new QueryPlaces(clock, limits))
    }
  })
