/** Runs the role `keeper` while the scope is open, in a separate process. */
import { Clock, Effect, type Scope } from "effect"
import { consumers } from "../../../schemas/subjects.ts"
import { asking } from "../../kit/worker/asks.ts"
import type { ConfigurationFault } from "../../../schemas/runtime/configuration-fault.ts"
import { commitSource } from "../../kit/worker/source.ts"
import { ownKeys } from "../../log/own-keys.ts"
import { Bus, Cluster, Configuration, Queried, Streams, Tracing, VaultKey } from "../../kit/process.ts"
import { serveQueries } from "../../queries/serve.ts"
import { keeperQueries } from "./give.ts"
import { KeySealing } from "./sealing.ts"
import { KeeperStore } from "./store.ts"
import { keeperWorker } from "./worker.ts"

type Needed = Bus | Cluster | Configuration | Queried | Streams | Tracing | VaultKey | Scope.Scope

export const keeper: Effect.Effect<void, ConfigurationFault, Needed> = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const nats = yield* Bus
  const tracing = yield* Tracing
  const { limits } = yield* Configuration
  const { seed, former } = yield* VaultKey
  const { asker } = yield* Cluster
  yield* Streams
  const ask = asking(clock, (one, span) => asker.ask(one, span))
  const store = new KeeperStore(nats, new KeySealing(seed, former))
  yield* ownKeys(() => store.opens(), "HUB_VAULT_KEY, with HUB_VAULT_KEY_FORMER,")
  const timeoutMs = limits.service.query_timeout_ms
  yield* serveQueries(clock, nats, keeperQueries({ clock, ask, store }), yield* Queried, tracing, {
    onlyResponds: true,
    changes: true,
    timeoutMs
  })
  const source = commitSource(clock, nats, tracing, consumers.keeper)
  yield* keeperWorker({ source, ask, store, bounds: limits.service.vault })
})
