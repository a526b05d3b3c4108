/** An actor node in the process of a test, on a connection of the test's own. */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect, Exit, Layer, Scope } from "effect"
import type { Kysely } from "kysely"
import type { Database } from "../../../actors/tables/database.ts"
import { Keys } from "../../../actors/process/keys.ts"
import type { NodeKind } from "../../../actors/process/kinds.ts"
import { actorNode } from "../../../actors/process/node.ts"
import { cluster, metrics } from "../../../actors/process/layers.ts"
import { Bus, Configuration, MailKey, Streams, Tables, Tracing } from "../../../actors/kit/process.ts"
import type { Reactions } from "../../../actors/reactions/reaction.ts"
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import type { HubConfig } from "../../../schemas/config.ts"
import { NO_TRACING } from "../../../schemas/runtime/trace/tracing.ts"

export interface StartedParts {
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly db: Kysely<Database>
  readonly config: HubConfig
  readonly kinds: ReadonlyArray<NodeKind>
  readonly reactions?: ReadonlyArray<Reactions>
}

/** Resolves when it takes part, with what drains it and gives back its shards. */
export const startNode = async ({
  nats,
  manager,
  db,
  config,
  kinds,
  reactions = []
}: StartedParts): Promise<() => Promise<void>> => {
  const given = Layer.mergeAll(
    Layer.succeed(Bus, nats),
    Layer.succeed(Configuration, config),
    Layer.succeed(Keys, { seed: new Uint8Array(32), bank: OUR_BANK }),
    Layer.succeed(MailKey, { key: null }),
    Layer.succeed(Streams, manager),
    Layer.succeed(Tables, db),
    Layer.succeed(Tracing, NO_TRACING)
  )
  const parts = Layer.provideMerge(cluster, Layer.provideMerge(metrics, given))
  const scope = Scope.makeUnsafe()
  const started = Effect.gen(function* () {
    const services = yield* Layer.build(parts)
    yield* Effect.provide(actorNode(kinds, reactions), services)
  })
  await Effect.runPromise(Scope.provide(started, scope))
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}
