/**
 * The parts of a process on the actors' side. The type of a role names the parts that it uses: a role without `Tables`
 * cannot reach Postgres, and one without `Keys` cannot sign.
 */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Context, type Latch } from "effect"
import type { Kysely } from "kysely"
import type { Asker } from "../../schemas/runtime/bus/asker.ts"
import type { Loopback } from "../engine/loopback.ts"
import type { LeaseView } from "../../schemas/runtime/bus/lease-view.ts"
import type { HubConfig } from "../../schemas/config.ts"
import type { Tracing as TracingShape } from "../../schemas/runtime/trace/tracing.ts"
import type { Database } from "../tables/database.ts"
import type { OpenArchive } from "../log/archive/open.ts"
import type { KvLeases } from "../engine/leases.ts"
import type { ProcessMetrics } from "./process-metrics.ts"
import type { QueryObserver } from "../queries/serve.ts"

export class Configuration extends Context.Service<Configuration, HubConfig>()("hub/actors/Configuration") {}

export class Bus extends Context.Service<Bus, NatsConnection>()("hub/actors/Bus") {}

/** The manager of JetStream, once every stream exists. */
export class Streams extends Context.Service<Streams, JetStreamManager>()("hub/actors/Streams") {}

/** The archive with the older part of the log; `null` if the log keeps everything. */
export const LogArchive: Context.Reference<OpenArchive | null> = Context.Reference<OpenArchive | null>(
  "hub/actors/LogArchive",
  { defaultValue: () => null }
)

export class Tables extends Context.Service<Tables, Kysely<Database>>()("hub/actors/Tables") {}

/** The key that seals stored mail; `null` if the service has no mail. */
export class MailKey extends Context.Service<MailKey, { readonly key: Uint8Array | null }>()("hub/actors/MailKey") {}

/** The present and former keys that seal private keys of vaults. Only the keeper has them. */
export class VaultKey extends Context.Service<
  VaultKey,
  { readonly seed: Uint8Array; readonly former: Uint8Array | null }
>()("hub/actors/VaultKey") {}

/** The key to which secrets of compartments are sealed. Only their hosts have it. */
export class RuntimeKey extends Context.Service<RuntimeKey, { readonly seed: Uint8Array }>()("hub/actors/RuntimeKey") {}

export class Metrics extends Context.Service<Metrics, ProcessMetrics>()("hub/actors/Metrics") {}

/** Opened when an operator drains the node. `null` if the node shares its process with others and cannot be drained. */
export const Drained: Context.Reference<Latch.Latch | null> = Context.Reference<Latch.Latch | null>(
  "hub/actors/Drained",
  {
    defaultValue: () => null
  }
)

export class Queried extends Context.Service<Queried, QueryObserver>()("hub/actors/Queried") {}

export class Tracing extends Context.Service<Tracing, TracingShape>()("hub/actors/Tracing") {}

/** The cluster: which session owns each shard, and the asker. A process has one, whatever its roles. */
export class Cluster extends Context.Service<
  Cluster,
  {
    readonly transport: Loopback
    readonly view: LeaseView
    readonly leases: KvLeases
    readonly asker: Asker
    /** The name of this process, in its asks and in its session's key. */
    readonly name: string
  }
>()("hub/actors/Cluster") {}
