/**
 * NATS service discovery (ADR-32, "NATS micro"). Each role of a process answers `$SRV.PING`, `$SRV.INFO` and
 * `$SRV.STATS`, for all, for its name, or for its own id. So `nats micro ls` and `nats micro stats` show the service.
 *
 * The client's own package for this is not used: it also serves the requests of an endpoint, and needs a message for
 * each request, while here many requests share one. This module only reports the figures. It stores no figures: they
 * are read when they are requested. Errors are reported by code, never by message.
 */
import type { Clock } from "effect"
import { VERSION } from "../../version.ts"
import { wallMs } from "../clock.ts"
import type { CallStats } from "../metrics/calls.ts"
import type { NatsShape } from "./transport.ts"

interface DiscoveredEndpoint {
  readonly name: string
  readonly subject: string
  /** The queue group; empty if each instance gets all requests. */
  readonly queue: string
  readonly stats: CallStats
}

export interface DiscoveredService {
  /** The name of the service: `hub-<role>`. */
  readonly name: string
  /** Identifies this role of this process among all processes. */
  readonly id: string
  readonly description: string
  readonly metadata: Readonly<Record<string, string>>
  readonly endpoints: () => ReadonlyArray<DiscoveredEndpoint>
  /** Added to the figures of each endpoint. */
  readonly data?: () => Readonly<Record<string, unknown>>
}

const NS = 1e9
const utf8 = new TextEncoder()

const endpointRecord = ({ name, subject, queue }: DiscoveredEndpoint) => ({ name, subject, queue_group: queue })

const figures = ({ requests, errors, seconds, lastError }: CallStats) => ({
  num_requests: requests,
  num_errors: errors,
  last_error: lastError ?? "",
  processing_time: Math.round(seconds * NS),
  average_processing_time: requests === 0 ? 0 : Math.round((seconds * NS) / requests)
})

/** Answers for as long as the connection lives. */
export const answerDiscovery = (clock: Clock.Clock, nats: NatsShape, service: DiscoveredService): void => {
  const { name, id, description, metadata } = service
  const started = new Date(wallMs(clock)).toISOString()
  const identity = (kind: string) => ({
    type: `io.nats.micro.v1.${kind}_response`,
    name,
    id,
    version: VERSION,
    metadata
  })
  const answers: Readonly<Record<string, () => object>> = {
    PING: () => identity("ping"),
    INFO: () => ({
      ...identity("info"),
      description,
      endpoints: service.endpoints().map((endpoint) => ({ ...endpointRecord(endpoint), metadata: {} }))
    }),
    STATS: () => {
      const data = service.data?.()
      const endpoints = service.endpoints().map((endpoint) => ({
        ...endpointRecord(endpoint),
        ...figures(endpoint.stats),
        ...(data === undefined ? {} : { data })
      }))
      return { ...identity("stats"), started, endpoints }
    }
  }
  for (const [verb, answer] of Object.entries(answers)) {
    for (const subject of [`$SRV.${verb}`, `$SRV.${verb}.${name}`, `$SRV.${verb}.${name}.${id}`]) {
      nats.subscribe(subject, {
        callback: (error, { reply }) => {
          if (error === null && reply !== undefined && reply !== "")
            nats.publish(reply, utf8.encode(JSON.stringify(answer())))
        }
      })
    }
  }
}
