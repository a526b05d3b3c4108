/** The projections and the pruner that a node runs while it owns their shard. */
import { Effect, type Scope } from "effect"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { Announcer } from "../engine/read-models.ts"
import { Bus, Configuration, LogArchive, Streams, Tables, Tracing } from "../kit/process.ts"
import { Actors } from "../engine/services.ts"
import { PROJECTIONS } from "./projections.ts"
import type { FeedOf } from "../projections/feed.ts"
import type { Projection } from "../projections/projection.ts"
import { Projector } from "../projections/projector.ts"
import { Pruner } from "../projections/pruning.ts"
import { rebuild, type RebuildParts } from "../projections/rebuild.ts"

/** The number of messages in a page of a rebuild in this process. Actors wait while one page is folded. */
const RENEWAL_PAGE = 1000

/**
 * If a release changes the rows of a projection, it makes the new tables itself, once, while the old ones are served.
 */
const renewed = (parts: Omit<RebuildParts, "progress" | "pageSize">): Effect.Effect<void, unknown> => {
  const rebuilding = rebuild({ ...parts, pageSize: RENEWAL_PAGE, progress: () => undefined })
  const { name, version } = parts.projection
  return Effect.map(rebuilding, ({ messages, seq, seconds }) =>
    logNow("info", "projector", { projection: name, version, rebuilt: messages, watermark: seq, seconds })
  )
}

export const projectorsOn = (
  feedOf: FeedOf
): Effect.Effect<ReadonlyArray<Projector>, never, Bus | Configuration | Scope.Scope | Streams | Tables | Tracing> =>
  Effect.gen(function* () {
    const nats = yield* Bus
    const manager = yield* Streams
    const db = yield* Tables
    const tracing = yield* Tracing
    const { databaseUrl, limits } = yield* Configuration
    const archive = (yield* LogArchive)?.archive
    const announcer = yield* Announcer.make(nats)
    const projector = (projection: Projection): Projector =>
      new Projector({
        feed: feedOf(projection.stream),
        db,
        projection,
        announce: (seq, batch, changed) => {
          if (projection.kinds.length > 0) announcer.moved(projection.name, seq, changed)
          for (const [subject, content] of projection.hints(batch)) nats.publish(subject, content)
        },
        tracing,
        renew: renewed({ nats, manager, databaseUrl: databaseUrl ?? "", limits, projection, archive })
      })
    return PROJECTIONS.map(projector)
  })

export const prunerOn: Effect.Effect<Pruner, never, Actors | Configuration | Tables> = Effect.gen(function* () {
  const { limits } = yield* Configuration
  return new Pruner({ db: yield* Tables, projections: PROJECTIONS, limits, actors: yield* Actors })
})

export const runAll = (all: ReadonlyArray<{ readonly run: Effect.Effect<never> }>): Effect.Effect<unknown> =>
  Effect.forEach(all, ({ run }) => run, { concurrency: "unbounded", discard: true })
