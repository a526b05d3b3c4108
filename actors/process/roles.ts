/**
 * What a process does, by its roles (HUB_ROLES). What each reaches stands in its type, and is checked here: a worker of
 * webhooks talks to strangers all day and has neither the service's keys nor the tables; who answers queries has no keys
 * and asks no actor.
 */
import { Effect, Layer } from "effect"
import type { ActorRole } from "../../schemas/config.ts"
import { joined, partsOf } from "../../schemas/noun.ts"
import { SEEDED_CATEGORIES } from "../category/actor.ts"
import { webhookWorker } from "../fanout/start.ts"
import { actorNode } from "../node-runtime.ts"
import * as nouns from "../nouns.ts"
import { healthQuery } from "../queries/health.ts"
import { visibleQuery } from "../queries/visible.ts"
import { type QueryHandlers, serveQueries } from "../queries/serve.ts"
import { cluster, queried, streams, tables } from "./layers.ts"
import type { ConfigurationFault } from "./fault.ts"
import { Bus, Cluster, Configuration, type Keys, Metrics, Queried, Streams, Tables, Tracing } from "./services.ts"

const SEED_DEADLINE_MS = 15_000

/** What every process has, whatever its roles. */
export type Common = Bus | Configuration | Metrics | Tracing

/** All but what is also of the log: not one may be missing. */
type ByTables = Omit<QueryHandlers, "health" | "visible">

const answering = (handlers: Partial<QueryHandlers>): Effect.Effect<void, never, Bus | Queried | Tracing> =>
  Effect.gen(function* () {
    serveQueries(yield* Bus, handlers, yield* Queried, yield* Tracing)
  })

const actors = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* actorNode()
    const { asker } = yield* Cluster
    for (const { slug, ...category } of SEEDED_CATEGORIES) {
      const deadline = Date.now() + SEED_DEADLINE_MS
      void asker.ask({
        id: `seed-${slug}`,
        kind: "category",
        actor: slug,
        op: "category.seed",
        input: category,
        deadline
      })
    }
    const [nats, db, manager, config] = [yield* Bus, yield* Tables, yield* Streams, yield* Configuration]
    // How far the log is, only those tell who may read it.
    yield* answering({ health: healthQuery({ nats, db, manager, config }), visible: visibleQuery({ db, manager }) })
  })
)

const queries = Layer.effectDiscard(
  Effect.gen(function* () {
    const [db, config] = [yield* Tables, yield* Configuration]
    // Once the streams are there, the tables are no longer those of half a restore.
    yield* Streams
    const handlers: ByTables = joined(partsOf(nouns, "queries").map((of) => of({ db, config })))
    yield* answering(handlers)
  })
)

const webhooks: Layer.Layer<never, never, Common | Cluster | Streams> = Layer.effectDiscard(webhookWorker)

const inCluster = Layer.provideMerge(cluster, streams)

/** Parts that several roles need are made once for the process. */
export const rolesWith = (
  roles: ReadonlyArray<ActorRole>,
  keys: Layer.Layer<Keys>
): Layer.Layer<never, ConfigurationFault, Common> => {
  const all = {
    actors: Layer.provide(actors, [keys, inCluster, tables, queried]),
    queries: Layer.provide(queries, [streams, tables, queried]),
    webhooks: Layer.provide(webhooks, inCluster)
  } as const
  return Layer.mergeAll(Layer.empty, ...roles.map((role) => all[role]))
}
