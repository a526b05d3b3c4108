/**
 * Builds an actor process. It opens parts in a scope, and closes them in reverse order.
 *
 * Several actor processes can run in one process of the operating system. They share nothing: each has its own
 * configuration (passed as `env`), connections, metrics and log.
 */
import { type Context, Effect, Layer, type Scope } from "effect"
import { MetricsPortProblem } from "../schemas/runtime/metrics/listener.ts"
import { ConfigurationFault } from "../schemas/runtime/configuration-fault.ts"
import { bus, configuration, keys, mailKeys, metrics, runtimeKeys, tracing, vaultKeys } from "./process/layers.ts"
import { rolesWith } from "./process/roles.ts"
import { Keys } from "./process/keys.ts"
import { Configuration, Metrics, RuntimeKey, VaultKey } from "./kit/process.ts"

const absent = <I, S>(key: Context.Key<I, S>, role: string): Layer.Layer<I> =>
  Layer.effect(key, Effect.die(new Error(`only the role ${role} has these keys`)))

/** Resolves once every role is at work. */
export const openActors = (env: NodeJS.ProcessEnv): Effect.Effect<void, ConfigurationFault, Scope.Scope> =>
  Effect.gen(function* () {
    const configured = Layer.succeedContext(yield* Layer.build(configuration(env)))
    const { roles } = yield* Effect.provide(Configuration, configured)
    const built = <A>(layer: Layer.Layer<A, ConfigurationFault, Configuration>) =>
      Effect.map(Layer.build(Layer.provide(layer, configured)), Layer.succeedContext)
    const mailKey = yield* built(mailKeys(env))
    const own = roles.includes("actors") ? yield* built(keys(env)) : absent(Keys, "actors")
    const vaultKey = roles.includes("keeper") ? yield* built(vaultKeys(env)) : absent(VaultKey, "keeper")
    const runtimeKey = roles.includes("runtime") ? yield* built(runtimeKeys(env)) : absent(RuntimeKey, "runtime")
    const common = Layer.succeedContext(
      yield* Layer.build(Layer.provideMerge(Layer.mergeAll(metrics, tracing), Layer.provideMerge(bus, configured)))
    )
    let ready = false
    yield* Effect.provide(
      listening(() => ready),
      common
    )
    yield* Layer.build(Layer.provide(rolesWith(roles, own, mailKey, vaultKey, runtimeKey), common))
    yield* Effect.addFinalizer(() => Effect.sync(() => void (ready = false)))
    ready = true
  })

const listening = (ready: () => boolean): Effect.Effect<void, ConfigurationFault, Metrics | Scope.Scope> =>
  Effect.gen(function* () {
    const { listen } = yield* Metrics
    const opened = Effect.tryPromise({
      try: () => listen(ready),
      catch: (error) =>
        new ConfigurationFault({ message: error instanceof MetricsPortProblem ? error.message : String(error) })
    })
    yield* Effect.acquireRelease(opened, (end) => Effect.promise(end))
  })
