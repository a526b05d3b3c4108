/**
 * Nodes of the product in the test's own process. Each is a scope with its own configuration, metrics and log. Stopping
 * one closes its scope, as SIGTERM would. SIGKILL and SIGSTOP need a process, so they are not possible here.
 */
import { Clock, Deferred, Effect, Exit, Fiber, type Scope } from "effect"
import { openActors } from "../../actors/app.ts"
import { openEdge } from "../../edge/app.ts"
import { loadEdgeConfig } from "../../edge/http/config.ts"
import { RequestLog } from "../../edge/http/log.ts"
import type { NodeKind } from "../../ops/launcher/node-environment.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { Log } from "../../schemas/runtime/log/log.ts"
import type { ProcessControl } from "./servers.ts"

type Environment = NodeJS.ProcessEnv

const edge = (
  clock: Clock.Clock,
  env: Environment,
  write: (text: string) => void
): Effect.Effect<void, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const config = yield* loadEdgeConfig(env)
    const requests = new RequestLog(clock, write)
    yield* Effect.addFinalizer(() => Effect.sync(() => requests.flush()))
    yield* openEdge(config, requests)
  })

const notHere = (what: string) => (): never => {
  throw new Error(`a node in the test's process cannot be ${what}: start the system with processes: true`)
}

export interface LocalNode extends ProcessControl {
  readonly start: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** `environment` is called at each start, and `onLine` gets the lines of the node's log. The node uses `clock`. */
export const localNode = (
  kind: NodeKind,
  environment: () => Promise<Environment>,
  onLine: (line: string) => void,
  clock: Clock.Clock = machineClock
): LocalNode => {
  const write = (text: string): void => {
    for (const line of text.split("\n")) if (line !== "") onLine(line)
  }
  const log = new Log({ writableLength: 0, write, on: () => undefined }, clock)
  let fiber: Fiber.Fiber<unknown, unknown> | undefined

  const start = async (): Promise<void> => {
    const env = await environment()
    const ready = Deferred.makeUnsafe<void, unknown>()
    const opened = kind === "edge" ? edge(clock, env, write) : openActors(env)
    const program = Effect.scoped(
      Effect.gen(function* () {
        yield* opened
        yield* Deferred.succeed(ready, undefined)
        return yield* Effect.never
      })
    ).pipe(
      Effect.provide(log.logging),
      Effect.provideService(Clock.Clock, clock),
      Effect.onExit((exit) => (Exit.isFailure(exit) ? Deferred.failCause(ready, exit.cause) : Effect.void))
    )
    fiber = log.run(() => Effect.runFork(program))
    await Effect.runPromise(Deferred.await(ready))
  }
  const stop = async (): Promise<void> => {
    const running = fiber
    fiber = undefined
    if (running !== undefined) await Effect.runPromise(Fiber.interrupt(running))
  }
  return {
    /** The process id of this process while the node runs. */
    get pid() {
      return fiber === undefined ? null : process.pid
    },
    start,
    stop,
    restart: async () => {
      await stop()
      await start()
    },
    kill: notHere("killed"),
    freeze: notHere("frozen"),
    thaw: notHere("thawed")
  }
}
