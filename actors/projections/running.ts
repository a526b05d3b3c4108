/** The projections that a node runs while it owns their shard. */
import { Effect } from "effect"
import { subjects } from "../../schemas/subjects.ts"
import { Bus, Configuration, Streams, Tables, Tracing } from "../process/services.ts"
import { seenProjection } from "../agent/projection.ts"
import { mainProjection } from "./main.ts"
import { newsOf } from "../agent/notification/news.ts"
import type { Projection } from "./projection.ts"
import { Projector, type ProjectorParts } from "./projector.ts"
import { rebuild, type RebuildParts } from "./rebuild.ts"

/** Messages a page of a rebuild in this process: what it takes to fold one, the actors wait. */
const RENEWAL_PAGE = 1000

/** A release whose projection makes other rows brings them itself, once, while the old ones are served. */
const renewed = async (parts: Omit<RebuildParts, "progress" | "pageSize">): Promise<void> => {
  const { messages, seq, seconds } = await rebuild({ ...parts, pageSize: RENEWAL_PAGE, progress: () => undefined })
  console.error(
    JSON.stringify({
      level: "info",
      at: "projector",
      projection: parts.projection.name,
      version: parts.projection.version,
      rebuilt: messages,
      watermark: seq,
      seconds
    })
  )
}

/** None of them runs yet. */
export const projectors: Effect.Effect<
  ReadonlyArray<Projector>,
  never,
  Bus | Configuration | Streams | Tables | Tracing
> = Effect.gen(function* () {
  const nats = yield* Bus
  const manager = yield* Streams
  const db = yield* Tables
  const tracing = yield* Tracing
  const { databaseUrl } = yield* Configuration
  const projector = (projection: Projection, announce: ProjectorParts["announce"]): Projector =>
    new Projector({
      nats,
      db,
      projection,
      announce,
      tracing,
      renew: (signal) => renewed({ nats, manager, databaseUrl: databaseUrl ?? "", projection, signal })
    })
  const announce: ProjectorParts["announce"] = (seq, batch) => {
    nats.publish(subjects.projected, String(seq))
    for (const [agent, newest] of newsOf(batch)) nats.publish(subjects.notified(agent), newest)
  }
  return [projector(mainProjection, announce), projector(seenProjection, () => undefined)]
})
