/**
 * NATS service discovery (ADR-32, "NATS micro"). Each role of a process answers `$SRV.PING`, `$SRV.INFO` and
 * `$SRV.STATS`, for all, for its name, or for its own id. So `nats micro ls` and `nats micro stats` show the service.
 *
 * We answer by ourselves. The client's own package serves the requests of an endpoint too, one message a request, where
 * ours travel many to a message; here only what they came to is told. Pure except for the subscriptions: everything is
 * read when somebody asks. Errors are told by their code, never by a message.
 */
import type { Clock } from "effect"
import { VERSION } from "../../version.ts"
import { wallMs } from "../clock.ts"
import type { CallStats } from "../metrics/calls.ts"
import type { NatsShape } from "./transport.ts"

interface DiscoveredEndpoint {
  readonly name: string
  readonly subject: string
  /** Empty if each instance gets all. */
  readonly queue: string
  readonly stats: CallStats
}

export interface DiscoveredService {
  /** `hub-<role>`. */
  readonly name: string
  /** Unique: of this role in this process. */
  readonly id: string
  readonly description: string
  readonly metadata: Readonly<Record<string, string>>
  readonly endpoints: () => ReadonlyArray<DiscoveredEndpoint>
  /** Told with each endpoint's figures. */
  readonly data?: () => Readonly<Record<string, unknown>>
}

const NS = 1e9
const utf8 = new TextEncoder()

const shown = ({ name, subject, queue }: DiscoveredEndpoint) => ({ name, subject, queue_group: queue })

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
      endpoints: service.endpoints().map((endpoint) => ({ ...shown(endpoint), metadata: {} }))
    }),
    STATS: () => {
      const data = service.data?.()
      const endpoints = service.endpoints().map((endpoint) => ({
        ...shown(endpoint),
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
