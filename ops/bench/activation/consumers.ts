/** Measures the time in which a server makes a consumer of a log, with several filters and starting points. */
import { AckPolicy, DeliverPolicy, jetstreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { KIND, SHORT_KIND } from "./log.ts"

const PATIENCE_MS = 120_000
const NS_PER_MS = 1_000_000
/** The number of messages before the log's end at which a consumer starts. */
const NEAR = 1000

const FILTERS: Readonly<Record<string, ReadonlyArray<string>>> = {
  none: [],
  "one, of a rare kind": [subjects.eventsOf(KIND)],
  "one, of most subjects": [subjects.eventsOf(SHORT_KIND)],
  "two, of all subjects": [subjects.eventsOf(KIND), subjects.eventsOf(SHORT_KIND)]
}

export const consumersMade = async (
  nats: NatsConnection,
  commits: number,
  say: (line: string) => void
): Promise<void> => {
  const manager = await jetstreamManager(nats, { checkAPI: false, timeout: PATIENCE_MS })
  say("  consumer with filters     made from the beginning, ms   from the middle   near the end")
  for (const [name, filters] of Object.entries(FILTERS)) {
    const took: Array<number> = []
    const [only, ...others] = filters
    for (const opt_start_seq of [1, Math.floor(commits / 2), commits - NEAR]) {
      const began = performance.now()
      const { name: made } = await manager.consumers.add(streams.events, {
        name: `bench_${performance.now().toFixed(0)}`,
        ack_policy: AckPolicy.None,
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq,
        mem_storage: true,
        inactive_threshold: PATIENCE_MS * NS_PER_MS,
        ...(only !== undefined && others.length === 0 ? { filter_subject: only } : { filter_subjects: [...filters] })
      })
      took.push(performance.now() - began)
      await manager.consumers.delete(streams.events, made)
    }
    const [first = 0, middle = 0, last = 0] = took
    say(
      `  ${name.padEnd(24)} ${first.toFixed(1).padStart(28)} ${middle.toFixed(1).padStart(17)} ${last.toFixed(1).padStart(14)}`
    )
  }
}
