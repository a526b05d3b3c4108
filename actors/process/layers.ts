/**
 * The parts of a process. Each is made when a role needs it, and closed after everything that uses it.
 *
 * A fault of the configuration is reported in one line (`ConfigurationFault`).
 */
import { randomBytes } from "node:crypto"
import { type NatsConnection, NatsConnectionImpl, setTransportFactory } from "@nats-io/transport-node"
import { NodeTransport } from "@nats-io/transport-node/lib/node_transport.js"
import { Clock, Effect, Layer, Schedule } from "effect"
import { Asker } from "../../schemas/runtime/bus/asker.ts"
import { LeaseView } from "../../schemas/runtime/bus/lease-view.ts"
import { busRoleOf } from "../../schemas/bus/roles.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { corked, STEADFAST } from "../../schemas/runtime/bus/connect.ts"
import { addressesOf } from "../../schemas/runtime/names.ts"
import { loopback } from "../engine/loopback.ts"
import { transportOver } from "../../schemas/runtime/bus/transport.ts"
import { type HubConfig, readConfig } from "../../schemas/config.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { openTracing } from "../../schemas/runtime/trace/open.ts"
import { attempt, awaited } from "../log/attempt.ts"
import { openDatabase } from "../tables/database.ts"
import { KvLeases } from "../engine/leases.ts"
import { ArchiveMissing, awaitIndex, openArchive } from "../log/archive/open.ts"
import { findStreams } from "../log/streams.ts"
import { openProcessMetrics } from "../kit/process-metrics.ts"
import { busErrorLine } from "./bus-errors.ts"
import { queryCalls } from "./metrics/queries.ts"
import { readBank, bankProblem } from "../registration/noun.ts"
import { formerVaultKey, mailKey, runtimeKey, serverSeed, vaultKey } from "./server-key.ts"
import { ConfigurationFault } from "../../schemas/runtime/configuration-fault.ts"
import {
  Bus,
  Cluster,
  Configuration,
  LogArchive,
  MailKey,
  Metrics,
  Queried,
  RuntimeKey,
  Streams,
  Tables,
  Tracing,
  VaultKey
} from "../kit/process.ts"
import { Keys } from "./keys.ts"

const RECONNECT_MS = 100
const ARCHIVE_RETRY_MS = 250
/** The time that closing the connection may take. If the server is gone, draining never ends. */
const DRAIN_MAX_MS = 1000

const fault = (message: string) => Effect.fail(new ConfigurationFault({ message }))

/** Postgres is needed by roles that own shards or answer from the tables. */
const readsTables = ({ roles }: HubConfig): boolean => roles.includes("actors") || roles.includes("queries")

export const configuration = (env: NodeJS.ProcessEnv): Layer.Layer<Configuration, ConfigurationFault> =>
  Layer.effect(
    Configuration,
    Effect.suspend(() => {
      const read = readConfig(env)
      if (!read.ok) return fault(read.problem)
      if (readsTables(read.config) && read.config.databaseUrl === null)
        return fault("HUB_DATABASE_URL is required: the address of a Postgres database")
      return Effect.succeed(read.config)
    })
  )

export const keys = (env: NodeJS.ProcessEnv): Layer.Layer<Keys, ConfigurationFault, Configuration> =>
  Layer.effect(
    Keys,
    Effect.gen(function* () {
      const config = yield* Configuration
      const seeded = serverSeed(config, env)
      if (!seeded.ok) return yield* fault(seeded.problem)
      const read = readBank(config.questions)
      if (!read.ok) return yield* fault(read.problem)
      const problem = bankProblem(config, read.bank)
      if (problem !== null) return yield* fault(problem)
      return { seed: seeded.seed, bank: read.bank }
    })
  )

/** The mail key; `null` in a deployment without mail, and in processes with neither role `actors` nor `mail`. */
export const mailKeys = (env: NodeJS.ProcessEnv): Layer.Layer<MailKey, ConfigurationFault, Configuration> =>
  Layer.effect(
    MailKey,
    Effect.gen(function* () {
      const config = yield* Configuration
      const { mail, roles } = config
      if (mail === null && roles.includes("mail"))
        return yield* fault("HUB_MAIL_PROVIDER must name a provider where HUB_ROLES has mail")
      if (mail === null || !(roles.includes("actors") || roles.includes("mail"))) return { key: null }
      const read = mailKey(config, env)
      return read.ok ? { key: read.seed } : yield* fault(read.problem)
    })
  )

/** The keys of the keeper. It is a separate process, so that an attacker in another role finds no such key there. */
export const vaultKeys = (env: NodeJS.ProcessEnv): Layer.Layer<VaultKey, ConfigurationFault, Configuration> =>
  Layer.effect(
    VaultKey,
    Effect.gen(function* () {
      const config = yield* Configuration
      if (config.roles.length > 1) return yield* fault("HUB_ROLES must name the keeper alone, in a process of its own")
      const read = vaultKey(config, env)
      if (!read.ok) return yield* fault(read.problem)
      const former = formerVaultKey(env)
      if (former?.ok === false) return yield* fault(former.problem)
      return { seed: read.seed, former: former?.seed ?? null }
    })
  )

/**
 * The key of a host of compartments. A host is a separate process, because it is root on its machine and runs programs
 * of strangers.
 */
export const runtimeKeys = (env: NodeJS.ProcessEnv): Layer.Layer<RuntimeKey, ConfigurationFault, Configuration> =>
  Layer.effect(
    RuntimeKey,
    Effect.gen(function* () {
      const config = yield* Configuration
      if (config.roles.length > 1) return yield* fault("HUB_ROLES must name runtime alone, in a process of its own")
      const read = runtimeKey(config, env)
      return read.ok ? { seed: read.seed } : yield* fault(read.problem)
    })
  )

export const bus: Layer.Layer<Bus, ConfigurationFault, Configuration> = Layer.effect(
  Bus,
  Effect.gen(function* () {
    const config = yield* Configuration
    const servers = busServers(config.natsUrl, busRoleOf(config.roles))
    if (servers === null) return yield* fault("HUB_NATS_URL is not an address")
    setTransportFactory({
      factory: () => corked(new NodeTransport()),
      dnsResolveFn: async (name) => [...(await addressesOf(name))]
    })
    const name = `hub-actors-${process.pid}`
    const opened = Effect.promise(() =>
      NatsConnectionImpl.connect({ ...servers, ...STEADFAST, name, reconnectTimeWait: RECONNECT_MS })
    )
    const nats = yield* Effect.acquireRelease(opened, drained)
    void tellRefusals(nats)
    return nats
  })
)

const drained = (nats: NatsConnection): Effect.Effect<unknown> =>
  Effect.timeoutOption(Effect.ignore(Effect.tryPromise(() => nats.drain())), DRAIN_MAX_MS)

/** Logs errors that the server reports (bus-errors.ts). Ends with the connection. */
const tellRefusals = async (nats: NatsConnection): Promise<void> => {
  for await (const status of nats.status()) {
    if (status.type !== "error") continue
    const [level, fields] = busErrorLine(status.error)
    logNow(level, "bus", fields)
  }
}

/** Waits while JetStream is starting or `hub migrate` is running. */
export const streams: Layer.Layer<Streams, never, Bus | Configuration> = Layer.effect(
  Streams,
  Effect.gen(function* () {
    const nats = yield* Bus
    const { roles } = yield* Configuration
    return yield* awaited(
      "the streams",
      attempt(() => findStreams(nats, roles.includes("actors")))
    )
  })
)

export const tables: Layer.Layer<Tables, never, Configuration> = Layer.effect(
  Tables,
  Effect.gen(function* () {
    const { databaseUrl } = yield* Configuration
    return yield* Effect.acquireRelease(
      Effect.sync(() => openDatabase(databaseUrl ?? "")),
      (db) => Effect.ignore(Effect.tryPromise(() => db.destroy()))
    )
  })
)

/** Waits until the archive is open and its index is complete. Fails if the archive is missing. */
export const archive: Layer.Layer<never, ConfigurationFault, Bus | Configuration | Streams | Tables> = Layer.effect(
  LogArchive,
  Effect.gen(function* () {
    yield* Streams
    const parts = { clock: yield* Clock.Clock, nats: yield* Bus, db: yield* Tables }
    const { archive: settings } = yield* Configuration
    const opened = Effect.tryPromise({
      try: async () => {
        const found = await openArchive(settings, parts)
        if (found !== null) await awaitIndex(found)
        return found
      },
      catch: (error) => error
    })
    return yield* opened.pipe(
      Effect.tapError((error) => Effect.logWarning("waiting for the archive", error)),
      Effect.annotateLogs({ at: "archive" }),
      Effect.retry({
        schedule: Schedule.spaced(ARCHIVE_RETRY_MS),
        while: (error) => !(error instanceof ArchiveMissing)
      }),
      Effect.catch((error) => (error instanceof ArchiveMissing ? fault(error.message) : Effect.die(error)))
    )
  })
)

export const metrics: Layer.Layer<Metrics, never, Bus | Configuration> = Layer.effect(
  Metrics,
  Effect.gen(function* () {
    return openProcessMetrics(yield* Clock.Clock, yield* Bus, yield* Configuration)
  })
)

export const queried: Layer.Layer<Queried, never, Metrics> = Layer.effect(Queried, Effect.map(Metrics, queryCalls))

export const tracing: Layer.Layer<Tracing, never, Configuration> = Layer.effect(
  Tracing,
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const { traces } = yield* Configuration
    const opened = yield* Effect.acquireRelease(
      Effect.sync(() => openTracing(clock, traces, "hub-actors")),
      ({ stop }) => Effect.promise(() => stop())
    )
    return opened.tracing
  })
)

export const cluster: Layer.Layer<Cluster, never, Bus | Configuration | Metrics | Streams> = Layer.effect(
  Cluster,
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const nats = yield* Bus
    const told = yield* Metrics
    const { roles, limits } = yield* Configuration
    // The lease bucket is one of the streams.
    yield* Streams
    const { max_asks_in_flight: maxInFlight, max_frame_bytes: maxFrameBytes } = limits.service
    const name = randomBytes(8).toString("hex")
    const failed = (error: unknown): void => logNow("error", "transport", { error })
    const transport = loopback(transportOver(nats, failed), failed)
    const view = new LeaseView()
    const leases = yield* KvLeases.watching(nats, view)
    const identity = { role: busRoleOf(roles), name }
    const asker = yield* Effect.acquireRelease(
      Effect.sync(() =>
        told.observed(new Asker(clock, transport, view, identity, { maxInFlight, maxFrameBytes }, told.asks))
      ),
      (opened) => Effect.sync(() => opened.close())
    )
    return { transport, view, leases, asker, name }
  })
)
