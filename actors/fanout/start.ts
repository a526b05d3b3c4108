/** The role `webhooks` of an actor process: a worker on the shared consumer. */
import { Clock, Effect, type Scope } from "effect"
import { consumers } from "../../schemas/subjects.ts"
import { webhookMetrics } from "./metrics.ts"
import { Bus, Cluster, Configuration, Metrics, Streams, Tracing } from "../kit/process.ts"
import { Poster } from "../kit/post.ts"
import { commitSource } from "../kit/worker/source.ts"
import { Worker } from "./worker.ts"

/** Delivers while the scope is open. */
export const webhookWorker: Effect.Effect<
  void,
  never,
  Bus | Cluster | Configuration | Metrics | Streams | Tracing | Scope.Scope
> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const config = yield* Configuration
  const tracing = yield* Tracing
  const { asker } = yield* Cluster
  const told = webhookMetrics(yield* Metrics, yield* Streams)
  const poster = yield* Effect.acquireRelease(
    Effect.sync(() => new Poster({ clock, production: config.env === "production", limits: config.limits.webhook })),
    (opened) => Effect.sync(() => opened.close())
  )
  const source = commitSource(clock, yield* Bus, tracing, consumers.webhooks)
  const worker = yield* Worker.make({
    source,
    ask: (ask, span) => asker.ask(ask, span),
    poster,
    config,
    tracing,
    observer: told.observer
  })
  told.follow(worker)
})
