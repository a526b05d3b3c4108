/**
 * Runs a program of the product: it opens its parts and serves until it is told to end.
 *
 * - It sends `{ ready: true }` over its IPC channel, if there is one, once everything serves.
 * - On SIGTERM, SIGINT or the end of the process that started it, it closes its parts in reverse order. Exit status 0.
 * - A `ConfigurationFault` is one line on standard error. Exit status 78.
 * - Anything else that ends it is a fatal line of the log. Exit status 1.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Effect, Exit, type Scope } from "effect"
import { ConfigurationFault } from "./configuration-fault.ts"
import { logCrash, logUncaught, processLog } from "./log/log.ts"

/** EX_CONFIG of sysexits.h. */
export const CONFIGURATION_ERROR = 78
const FAILURE = 1

export interface ProgramOptions {
  /** Milliseconds after which a stop is interrupted. If absent, the starter of the process decides. */
  readonly stopWithinMs?: number
  /** Resolves when the program ends by itself without a fault. If absent, it does not end by itself. */
  readonly until?: Effect.Effect<void>
  /** Called last, before the process ends. */
  readonly ended?: () => void
}

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

/** Runs the process. The caller does nothing else. */
export const runProgram = (
  opened: Effect.Effect<unknown, unknown, Scope.Scope>,
  options: ProgramOptions = {}
): void => {
  const { stopWithinMs, until = Effect.never } = options
  const cutOff = (): void => {
    if (stopWithinMs !== undefined) setTimeout(() => process.exit(FAILURE), stopWithinMs).unref()
  }
  if (stopWithinMs !== undefined) {
    process.once("SIGTERM", cutOff)
    process.once("SIGINT", cutOff)
  }
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"))
  logUncaught()
  const program = Effect.gen(function* () {
    yield* opened
    process.send?.({ ready: true })
    yield* until
    cutOff()
  })
  NodeRuntime.runMain(Effect.scoped(Effect.provide(program, processLog.logging)), {
    disableErrorReporting: true,
    teardown: (exit, end) => {
      options.ended?.()
      end(exitCodeOf(exit))
    }
  })
}
