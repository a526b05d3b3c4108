/**
 * The operators' console with all its parts. It is opened in a scope; closing the scope stops it in the reverse order.
 *
 * It connects as the bus's user `operator`, like the `hub` command: its pages show what that command shows, and its
 * actions are commands of operators. A separate user would need the same rights.
 */
import type { Server } from "node:http"
import { headers } from "@nats-io/transport-node"
import { Clock, Context, Effect, Layer, Schedule, type Scope } from "effect"
import { requestsOf } from "../../actors/log/requests.ts"
import { Bus } from "../../edge/bus/bus.ts"
import { type HubConfig, readConfig } from "../../schemas/config.ts"
import { QueryClient } from "../../schemas/runtime/bus/queries.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { ConfigurationFault } from "../../schemas/runtime/configuration-fault.ts"
import { openService, refuseSettings, type Service } from "../cli/connection.ts"
import { History } from "./cluster/history.ts"
import { Jobs } from "./cluster/jobs.ts"
import { recording } from "./cluster/recorder.ts"
import { PAGES } from "./pages.ts"
import { serveConsole } from "./server.ts"

class Configuration extends Context.Service<Configuration, HubConfig>()("hub/console/Configuration") {}

class Operating extends Context.Service<Operating, Service>()("hub/console/Operating") {}

const PATIENCE = { connectMs: 15_000, answerMs: 10_000, postgresMs: 3000, reconnects: -1 }
const RETRY_MS = 250

type Env = NodeJS.ProcessEnv

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const configuration = (env: Env): Layer.Layer<Configuration, ConfigurationFault> =>
  Layer.effect(
    Configuration,
    Effect.gen(function* () {
      const read = readConfig(env)
      if (!read.ok) return yield* new ConfigurationFault({ message: read.problem })
      yield* Effect.try({
        try: () => refuseSettings(env),
        catch: (error) => new ConfigurationFault({ message: messageOf(error) })
      })
      return read.config
    })
  )

/** Waits for as long as the servers are still starting, or `hub migrate` is under way. */
const operating = (env: Env): Layer.Layer<Operating> =>
  Layer.effect(
    Operating,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const opened = Effect.tryPromise({
        try: () => openService(env, clock, PATIENCE),
        catch: (error) => error
      }).pipe(
        Effect.tapError((error) => Effect.logWarning("waiting for the servers", error)),
        Effect.annotateLogs({ at: "console" }),
        Effect.retry(Schedule.spaced(RETRY_MS)),
        Effect.orDie
      )
      return yield* Effect.acquireRelease(opened, (service) => Effect.ignore(Effect.tryPromise(() => service.close())))
    })
  )

const busOver = (clock: Clock.Clock, { nats, asker }: Service): Bus => {
  const queries = new QueryClient(machineClock, requestsOf(nats), {
    newHeaders: headers,
    isClosed: () => nats.isClosed()
  })
  return new Bus(clock, asker, queries, { settled: () => undefined }, null)
}

export const openConsole = (env: Env): Effect.Effect<Server, ConfigurationFault, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const built = yield* Layer.build(Layer.provideMerge(operating(env), configuration(env)))
    const [config, service] = [Context.get(built, Configuration), Context.get(built, Operating)]
    const [history, jobs] = [new History(), new Jobs(clock)]
    yield* recording(service.nats, history)
    yield* Effect.addFinalizer(() => Effect.promise(() => jobs.close()))
    return yield* serveConsole({ clock, config, service, bus: busOver(clock, service), history, jobs }, PAGES)
  })
