/**
 * An edge: one stateless HTTP process.
 *
 * Starting: configuration (a bad value is one line on stderr and exit code 78), the bus, the leases, then the port.
 * Once it listens, it says `{ ready: true }` to whoever started it. Stopping, by SIGTERM, SIGINT or when its starter is
 * gone: the port closes, requests under way end, the bus is drained; exit code 0.
 */
import { setFlagsFromString } from "node:v8"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit } from "effect"
import { openEdge } from "./app.ts"
import { ConfigProblem, loadEdgeConfig } from "./config.ts"
import { machineClock } from "../schemas/runtime/clock.ts"
import { logCrash, logUncaught, processLog, standardOutput } from "../schemas/runtime/log/log.ts"
import { RequestLog } from "./http/log.ts"

/** EX_CONFIG of sysexits.h. */
const CONFIGURATION_ERROR = 78
const FAILURE = 1

// Left to itself, V8 gives a process that has been idle so little room to grow that under load every collection is a
// full one,
setFlagsFromString("--heap-growing-percent=50")
// and takes the few requests that it meets at the start for long-lived: it then makes parts of all later ones among the
// old.
setFlagsFromString("--no-allocation-site-pretenuring")

const log = new RequestLog(machineClock, standardOutput.write)

const program = Effect.gen(function* () {
  const config = yield* Effect.try({
    try: () => loadEdgeConfig(process.env),
    catch: (error) => (error instanceof ConfigProblem ? error : new ConfigProblem(String(error)))
  })
  yield* openEdge(config, log)
  process.send?.({ ready: true })
  return yield* Effect.never
})

const exitCodeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return 0
  const error = Cause.squash(exit.cause)
  if (!(error instanceof ConfigProblem)) {
    logCrash(error)
    return FAILURE
  }
  process.stderr.write(`${error.message}\n`)
  return CONFIGURATION_ERROR
}

process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))

logUncaught()
NodeRuntime.runMain(Effect.scoped(Effect.provide(program, processLog.logging)), {
  disableErrorReporting: true,
  teardown: (exit, end) => {
    log.flush()
    end(exitCodeOf(exit))
  }
})
