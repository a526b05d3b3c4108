/**
 * An actor process: joins the bus, owns shards, keeps the read models, answers queries, delivers to webhooks (as
 * HUB_ROLES says).
 *
 * Once every role does its work, it says `{ ready: true }` to whoever started it. Stopping, by SIGTERM, SIGINT or when
 * its starter is gone: roles end in the reverse order of what they stand on; exit code 0. A fault of configuration is
 * one line on stderr and exit code 78.
 */
import { setFlagsFromString } from "node:v8"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, Layer } from "effect"
import { logCrash, logging, logUncaught } from "../schemas/runtime/log/log.ts"
import { MetricsPortProblem } from "../schemas/runtime/metrics/listener.ts"
import { ConfigurationFault } from "./process/fault.ts"
import { bus, configuration, keys, mailKeys, metrics, runtimeKeys, tracing, vaultKeys } from "./process/layers.ts"
import { type Common, rolesWith } from "./process/roles.ts"
import { Configuration, Keys, Metrics, RuntimeKey, VaultKey } from "./process/services.ts"

/** EX_CONFIG of sysexits.h. */
const CONFIGURATION_ERROR = 78
const FAILURE = 1
const STOP_WITHIN_MS = 8000

// Left to itself, V8 gives a process that has been idle so little room to grow that under load every collection is a
// full one.
setFlagsFromString("--heap-growing-percent=50")

/** Whether every role does its work, and none has been told to end. */
let ready = false

const listening = Effect.gen(function* () {
  const { listen } = yield* Metrics
  const opened = Effect.tryPromise({
    try: () => listen(() => ready),
    catch: (error) =>
      new ConfigurationFault({ message: error instanceof MetricsPortProblem ? error.message : String(error) })
  })
  yield* Effect.acquireRelease(opened, (end) => Effect.promise(end))
})

const serving = (roles: Layer.Layer<never, ConfigurationFault, Common>) =>
  Effect.gen(function* () {
    yield* listening
    yield* Layer.build(roles)
    yield* Effect.addFinalizer(() => Effect.sync(() => void (ready = false)))
    ready = true
    process.send?.({ ready: true })
    return yield* Effect.never
  })

/** Who owns no shards needs no keys. */
const noKeys = Layer.effect(Keys, Effect.die(new Error("only actors have keys")))

const noVaultKey = Layer.effect(VaultKey, Effect.die(new Error("only the keeper has keys of vaults")))

const noRuntimeKey = Layer.effect(RuntimeKey, Effect.die(new Error("only hosts have keys of compartments")))

const program = Effect.gen(function* () {
  const { roles } = yield* Configuration
  // Whatever is wrong with the keys is told before anything is opened.
  const own = Layer.succeedContext(yield* Layer.build(mailKeys(process.env)))
  const keyed = roles.includes("actors") ? Layer.succeedContext(yield* Layer.build(keys(process.env))) : noKeys
  const kept = roles.includes("keeper") ? Layer.succeedContext(yield* Layer.build(vaultKeys(process.env))) : noVaultKey
  const common = Layer.provideMerge(Layer.mergeAll(metrics, tracing), bus)
  const hosted = roles.includes("runtime")
    ? Layer.succeedContext(yield* Layer.build(runtimeKeys(process.env)))
    : noRuntimeKey
  return yield* Effect.provide(serving(rolesWith(roles, keyed, own, kept, hosted)), common)
})

const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return 0
  const error = Cause.squash(exit.cause)
  if (!(error instanceof ConfigurationFault)) {
    logCrash(error)
    return FAILURE
  }
  process.stderr.write(`${error.message}\n`)
  return CONFIGURATION_ERROR
}

/** What does not end by itself is ended. */
const stopping = (): void => void setTimeout(() => process.exit(FAILURE), STOP_WITHIN_MS).unref()
process.once("SIGTERM", stopping)
process.once("SIGINT", stopping)
process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))

logUncaught()
NodeRuntime.runMain(Effect.scoped(Effect.provide(program, [configuration(process.env), logging])), {
  disableErrorReporting: true,
  teardown: (exit, end) => end(exitCodeOf(exit))
})
