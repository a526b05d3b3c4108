/** Metrics of an edge for scrapers on its private port, and its entry in NATS service discovery. */
import { randomUUID } from "node:crypto"
import { readdir } from "node:fs/promises"
import { createServer } from "node:http"
import { hostname } from "node:os"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { type Clock, Effect, type Scope } from "effect"
import { answerDiscovery } from "../../schemas/runtime/bus/discovery.ts"
import { ConfigurationFault } from "../../schemas/runtime/configuration-fault.ts"
import { askerMetrics, lineMetrics } from "../../schemas/runtime/metrics/bus.ts"
import { answerFigures } from "../../schemas/runtime/metrics/figures.ts"
import { type CreateServer, listenForScrapes, MetricsPortProblem } from "../../schemas/runtime/metrics/listener.ts"
import { type Platform, processMetrics } from "../../schemas/runtime/metrics/process.ts"
import { subjects } from "../../schemas/subjects.ts"
import type { Blobs } from "../bus/blobs.ts"
import type { EdgeBus } from "../bus/service.ts"
import type { EdgeConfig } from "../http/config.ts"
import type { Leaving } from "../http/leaving.ts"
import type { EdgeMetrics } from "../http/metrics.ts"
import type { Shares } from "../http/shares.ts"
import type { Notifications } from "../notification/index.ts"

const platform: Platform & { readonly createServer: CreateServer } = {
  createServer,
  monitorEventLoopDelay,
  readdir
}

export interface MetricSources {
  readonly clock: Clock.Clock
  readonly config: EdgeConfig
  readonly metrics: EdgeMetrics
  readonly bus: EdgeBus
  readonly bodies: Shares
  readonly blobs: Blobs
  readonly leaving: Leaving
  readonly notifications: Notifications
}

/** Reports until the scope closes. */
export const serveMetrics = ({
  clock,
  config,
  metrics,
  bus,
  bodies,
  blobs,
  leaving,
  notifications: { waiting, forOwners, streams }
}: MetricSources): Effect.Effect<void, ConfigurationFault, Scope.Scope> => {
  const { meter } = metrics
  const { service } = config.hub.limits
  if (config.hub.metricsPort !== 0) processMetrics(clock, meter, platform, ["edge"])
  lineMetrics(meter, bus.link)
  askerMetrics(meter, bus.asker)
  meter.gauge("hub_edge_body_bytes", "Bytes of request bodies that are held.", () => bodies.inUse)
  meter.gauge(
    "hub_edge_body_bytes_max",
    "Bytes of request bodies that may be held at once.",
    () => service.max_buffered_body_bytes
  )
  meter.gauge("hub_edge_downloads", "Files and data on their way to clients.", () => blobs.sending)
  const held = "Requests that are held until there is something to say, by their kind."
  meter.gauge("hub_edge_held_requests", held, () => waiting.held, { kind: "list" })
  meter.gauge("hub_edge_held_requests", held, () => forOwners.held, { kind: "owner" })
  meter.gauge("hub_edge_held_requests", held, () => streams.held, { kind: "stream" })
  const place = { id: randomUUID(), host: hostname(), pid: process.pid, roles: "edge" }
  answerFigures(bus.nats, place, () => ({ edge: metrics.figures(), commits: null }))
  answerDiscovery(clock, bus.nats, {
    name: "hub-edge",
    id: place.id,
    description: "Speaks HTTP with agents; its endpoints are served there, by noun.",
    metadata: {
      host: place.host,
      pid: String(place.pid),
      roles: place.roles,
      metrics_port: String(config.hub.metricsPort)
    },
    endpoints: () =>
      metrics
        .stats()
        .map((stats) => ({ name: stats.name, subject: `${subjects.reply("edge", bus.name)}.*`, queue: "", stats })),
    data: () => ({
      held_lists: waiting.held,
      held_for_owners: forOwners.held,
      held_streams: streams.held,
      asks_in_flight: bus.asker.inFlight
    })
  })
  const listening = Effect.tryPromise({
    try: () =>
      listenForScrapes(platform.createServer, meter, {
        port: config.hub.metricsPort,
        host: config.hub.bind,
        ready: () => bus.link.up && !leaving.now
      }),
    catch: (error) =>
      new ConfigurationFault({ message: error instanceof MetricsPortProblem ? error.message : String(error) })
  })
  return Effect.asVoid(Effect.acquireRelease(listening, (end) => Effect.promise(end)))
}
