/** Agents that listen for their notifications, at a service with short heartbeats. */
import { TimeoutError } from "@nats-io/transport-node"
import { expect } from "vitest"
import type { Notification } from "../../schemas/notification/api.ts"
import { subjects } from "../../schemas/subjects.ts"
import { movableClock, waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { type EventReader, openEvents, type StreamOptions } from "../support/events.ts"
import type { Answer } from "../support/http.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { register, type Registered } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"
import { setRecovery } from "../support/rotation.ts"

export const HEARTBEAT_MS = 300
export const JUDGE_MS = 1500
export const PER_AGENT = 2
const LISTENING_MS = 100

/** Longer than what happens meanwhile takes on the slowest machine. */
export const WAIT_SECONDS = 240

export let service: TestService
/** The time of all its nodes. */
export const clock = movableClock()
const readers: Array<EventReader> = []

export const openLive = async (): Promise<void> => {
  service = await testService({
    clock,
    edges: 2,
    actors: 2,
    limits: {
      "notifications.heartbeat_ms": HEARTBEAT_MS,
      "notifications.judge_ms": JUDGE_MS,
      "notifications.wait_max_seconds": WAIT_SECONDS,
      "notifications.streams_per_agent_max": PER_AGENT,
      "notifications.waits_per_agent_max": PER_AGENT,
      "notifications.stream_page_max": 3
    }
  })
}

export const closeReaders = (): void => {
  for (const reader of readers.splice(0)) reader.close()
}

export interface Subject {
  readonly client: AgentClient
  readonly agent: Registered
}

export const subject = async (): Promise<Subject> => {
  const client = new AgentClient({ edge: () => service.edges[0] ?? "" })
  return { client, agent: await register(client, { edge: service.edges[0] ?? "" }) }
}

/** One notification. */
export const cause = async ({ client }: Subject): Promise<void> => {
  expect(outcome(await setRecovery(client))).toBe("200")
}

export const list = async ({ client }: Subject, query = "", edge = 0): Promise<Answer> =>
  client.call("GET", `/api/v1/me/notifications${query}`, { edge: service.edges[edge] ?? "" })

export const idsOf = (answer: Answer): ReadonlyArray<number> =>
  dataOf<ReadonlyArray<Notification>>(answer).map(({ id }) => id)

export const known = async (one: Subject): Promise<ReadonlyArray<number>> =>
  idsOf(await list(one, "?per_page=100")).toReversed()

export const open = (one: Subject, options: StreamOptions = {}): EventReader => {
  const reader = openEvents(one.client, options)
  readers.push(reader)
  return reader
}

export const timed = async <T>(act: Promise<T>): Promise<readonly [T, number]> => {
  const from = performance.now()
  return [await act, performance.now() - from]
}

/**
 * Whether an edge holds a request of the agent: then somebody listens for its hints, to which this one means nothing.
 */
export const isHeld = ({ agent }: Subject): Promise<boolean> =>
  service.view.nats.request(subjects.notified(agent.id), "?", { timeout: LISTENING_MS }).then(
    () => false,
    (error: unknown) => error instanceof TimeoutError
  )

export const held = (one: Subject, wanted = true): Promise<boolean> =>
  waitFor(async () => (await isHeld(one)) === wanted, { describe: `a request that is held: ${wanted}` })
