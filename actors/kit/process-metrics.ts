/**
 * The metrics of an actor process in any role. They are made before the roles, and served on the process's private
 * port.
 */
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import type { NatsConnection } from "@nats-io/transport-node"
import type { Clock } from "effect"
import type { Asker } from "../../schemas/runtime/bus/asker.ts"
import { answerDiscovery, type DiscoveredService } from "../../schemas/runtime/bus/discovery.ts"
import type { HubConfig } from "../../schemas/config.ts"
import { askCalls, askerMetrics, lineMetrics } from "../../schemas/runtime/metrics/bus.ts"
import { answerFigures } from "../../schemas/runtime/metrics/figures.ts"
import { listenForScrapes } from "../../schemas/runtime/metrics/listener.ts"
import { Meter } from "../../schemas/runtime/metrics/meter.ts"
import { processMetrics } from "../../schemas/runtime/metrics/process.ts"
import { onLine } from "../log/renewal.ts"
import { platform } from "./platform.ts"

export interface ProcessMetrics {
  readonly meter: Meter
  readonly asks: ReturnType<typeof askCalls>
  /** Adds the figures of the process's asker, and returns it. A process has one asker. */
  readonly observed: (asker: Asker) => Asker
  /** Answers NATS service discovery for one role. */
  readonly discovered: (service: Omit<DiscoveredService, "id" | "metadata">) => void
  /** `commits` returns the number of commits that this process has appended to the log. */
  readonly committing: (commits: () => number) => void
  /** Resolves to a function that stops listening; rejects with MetricsPortProblem. */
  readonly listen: (ready: () => boolean) => Promise<() => Promise<void>>
}

export const openProcessMetrics = (
  clock: Clock.Clock,
  nats: NatsConnection,
  { bind, metricsPort, roles }: HubConfig
): ProcessMetrics => {
  const meter = new Meter(clock)
  if (metricsPort !== 0) processMetrics(clock, meter, platform, roles)
  const line = { up: true, reconnects: 0 }
  onLine(nats, (change) => {
    line.up = change === "renewed"
    if (line.up) line.reconnects++
  })
  lineMetrics(meter, line)
  let commits: (() => number) | null = null
  answerFigures(nats, { id: randomUUID(), host: hostname(), pid: process.pid, roles: roles.join(",") }, () => ({
    edge: null,
    commits: commits?.() ?? null
  }))
  return {
    meter,
    committing: (read) => void (commits = read),
    asks: askCalls(meter),
    observed: (asker) => {
      askerMetrics(meter, asker)
      return asker
    },
    discovered: (service) =>
      answerDiscovery(clock, nats, {
        ...service,
        id: randomUUID(),
        metadata: {
          host: hostname(),
          pid: String(process.pid),
          roles: roles.join(","),
          metrics_port: String(metricsPort)
        }
      }),
    listen: (ready) =>
      listenForScrapes(platform.createServer, meter, { port: metricsPort, host: bind, ready: () => line.up && ready() })
  }
}
