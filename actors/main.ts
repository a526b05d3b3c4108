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
import { Cause, Effect, Exit } from "effect"
import { logCrash, logUncaught, processLog } from "../schemas/runtime/log/log.ts"
import { openActors } from "./app.ts"
import { ConfigurationFault } from "./process/fault.ts"

/** EX_CONFIG of sysexits.h. */
const CONFIGURATION_ERROR = 78
const FAILURE = 1
const STOP_WITHIN_MS = 8000

// Left to itself, V8 gives a process that has been idle so little room to grow that under load every collection is a
// full one.
setFlagsFromString("--heap-growing-percent=50")

const program = Effect.gen(function* () {
  yield* openActors(process.env)
  process.send?.({ ready: true })
  return yield* Effect.never
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
NodeRuntime.runMain(Effect.scoped(Effect.provide(program, processLog.logging)), {
  disableErrorReporting: true,
  teardown: (exit, end) => end(exitCodeOf(exit))
})
