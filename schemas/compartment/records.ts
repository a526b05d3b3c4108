/**
 * Compartments as their agent sees them (spec 2.11, 3.7; contract 8, 18). Secrets are listed by name, without their
 * values.
 */
import { Schema } from "effect"

export const COMPARTMENT_STATUSES = [
  "creating",
  "starting",
  "running",
  "stopping",
  "stopped",
  "backoff",
  "suspended",
  "failed",
  "deleting"
] as const
export const CompartmentStatus = Schema.Literals(COMPARTMENT_STATUSES)
export type CompartmentStatus = typeof CompartmentStatus.Type

/** `runsc` has its own kernel (gVisor). `runc` uses the host's kernel, with namespaces, seccomp and no capabilities. */
export const Isolation = Schema.Literals(["runsc", "runc"])
export type Isolation = typeof Isolation.Type

const Quotas = Schema.Struct({
  cpus: Schema.Number,
  memory_mb: Schema.Int,
  disk_mb: Schema.Int,
  /** The size of `/tmp`, which every stop empties. */
  tmp_mb: Schema.Int,
  egress_kbit: Schema.Int,
  pids: Schema.Int
}).annotate({ identifier: "CompartmentQuotas" })

export const CompartmentEvent = Schema.Struct({
  id: Schema.Int,
  at: Schema.String,
  type: Schema.String,
  message: Schema.String
}).annotate({ identifier: "CompartmentEvent" })
export type CompartmentEvent = typeof CompartmentEvent.Type

export const KEY_SET = "set, never shown"
export const KEY_NOT_SET = "not set"

const Suspension = Schema.Struct({
  /** The origin of the suspension: `operator`, `report`, `agent` or `owner`. */
  by: Schema.String,
  reason: Schema.String,
  at: Schema.String
})

export const Compartment = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  command: Schema.String,
  /** The tag of the image of its last run. Operators may update the host's image. */
  image: Schema.String,
  status: CompartmentStatus,
  desired: Schema.Literals(["running", "stopped"]),
  secrets: Schema.Array(Schema.String),
  environment: Schema.Struct({
    HUB_URL: Schema.String,
    HUB_ID: Schema.String.annotate({ description: "The agent number, HX-…" }),
    HUB_COMPARTMENT: Schema.String,
    HUB_KEY: Schema.Literals([KEY_SET, KEY_NOT_SET])
  }),
  /**
   * The person who made the compartment, or else an owner of the agent with a verified address. `null` if there is
   * neither.
   */
  owner: Schema.NullOr(Schema.Struct({ human_id: Schema.String, name: Schema.String })),
  /** The agent's hub id. */
  agent: Schema.String,
  /** `null` while its host is away, or has not reported it. */
  isolation: Schema.NullOr(Isolation),
  quotas: Quotas,
  /** `null` while the compartment is created or deleted, and while its host does not answer. */
  usage: Schema.Struct({ disk_mb: Schema.NullOr(Schema.Int) }),
  exit_code: Schema.NullOr(Schema.Int),
  oom_killed: Schema.Boolean,
  restart_count: Schema.Int.annotate({
    description:
      "Restarts since it last ran for ten minutes. A restart that it waits for (`next_restart_at`) counts " +
      "once it has begun."
  }),
  next_restart_at: Schema.NullOr(Schema.String),
  last_error: Schema.NullOr(Schema.String),
  suspended: Schema.NullOr(Suspension),
  created_by: Schema.Literals(["agent", "human"]),
  created_at: Schema.String,
  started_at: Schema.NullOr(Schema.String),
  stopped_at: Schema.NullOr(Schema.String),
  /** The newest twenty, newest first. */
  events: Schema.Array(CompartmentEvent)
}).annotate({ identifier: "Compartment" })
export type Compartment = typeof Compartment.Type

const LOG_STREAMS = ["stdout", "stderr", "system"] as const
export const LogStream = Schema.Literals(LOG_STREAMS)
export type LogStream = typeof LogStream.Type

export const LogLine = Schema.Struct({
  id: Schema.Int,
  at: Schema.String,
  stream: LogStream,
  line: Schema.String
}).annotate({ identifier: "CompartmentLogLine" })
export type LogLine = typeof LogLine.Type

export const CompartmentStats = Schema.Struct({
  at: Schema.String,
  /** Percent of one CPU. */
  cpu_percent: Schema.Number,
  memory_mb: Schema.Int,
  disk_mb: Schema.Int,
  pids: Schema.Int,
  rx_bytes: Schema.Int,
  tx_bytes: Schema.Int,
  uptime_seconds: Schema.Int
}).annotate({ identifier: "CompartmentStats" })
export type CompartmentStats = typeof CompartmentStats.Type

/** One reading of a program's resource usage, for the owner's page. Lists have the oldest first. */
export const UsageReading = Schema.Struct({ at: Schema.String, cpu_percent: Schema.Number, memory_mb: Schema.Number })
export type UsageReading = typeof UsageReading.Type

export const WebLink = Schema.Struct({ url: Schema.String, expires_at: Schema.String }).annotate({
  identifier: "CompartmentWebLink"
})

export const Queued = Schema.Struct({ queued: Schema.Literal(true), files: Schema.Int, bytes: Schema.Int })

/** The answer of `GET /runtime` (spec 2.11). */
export const RuntimeOffer = Schema.Struct({
  available: Schema.Boolean,
  reason: Schema.NullOr(Schema.String),
  price: Schema.String,
  compartments: Schema.Struct({
    max: Schema.Int,
    taken: Schema.Int,
    free: Schema.Int,
    per_owner: Schema.Int
  }),
  quotas: Quotas,
  isolation: Schema.NullOr(Isolation),
  images: Schema.Array(Schema.String),
  default_image: Schema.NullOr(Schema.String),
  image_contents: Schema.Array(Schema.String),
  network: Schema.String,
  environment: Schema.Array(Schema.Struct({ name: Schema.String, says: Schema.String })),
  terms: Schema.Struct({ version: Schema.String, url: Schema.String, accept_with: Schema.String }),
  docs: Schema.String
}).annotate({ identifier: "RuntimeOffer" })
export type RuntimeOffer = typeof RuntimeOffer.Type

/**
 * Versions of the terms, the newest first. A compartment keeps the version under which it was made. Each version is a
 * file of `edge/docs/terms/`. Such a file must not be changed: changed words need a new version.
 */
export const RUNTIME_TERMS_VERSIONS = ["2026-11-27", "2026-11-25"] as const
export const [RUNTIME_TERMS_VERSION] = RUNTIME_TERMS_VERSIONS
export const RUNTIME_TERMS_OLDEST = RUNTIME_TERMS_VERSIONS.at(-1) ?? RUNTIME_TERMS_VERSION
