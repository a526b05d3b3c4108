/**
 * A backup's description of itself: `manifest.json` of its folder, `{ sha256, backup }`, where `sha256` is of the text
 * of `backup`. It may come from an untrusted source. So files are named only after their streams, and a stream that
 * copies from or to another stream is refused.
 */
import { createHash } from "node:crypto"
import type { ConsumerConfig, StreamConfig } from "@nats-io/jetstream"
import { Schema } from "effect"
import { SegmentName } from "../../actors/log/archive/segment.ts"
import { consumers as durables, streams, subjects } from "../../schemas/subjects.ts"

export const FORMAT = 1
export const MANIFEST = "manifest.json"
/** The most bytes that are read. A real manifest is much smaller. */
export const MANIFEST_MAX_BYTES = 1_048_576
const STREAMS_MAX = 64
/**
 * The names of streams that a backup contains. It leaves out the lease bucket, which belongs to running processes, and
 * the mark of a restore.
 */
export const STREAM_PATTERN = /^HUB_(?!RESTORE$)[A-Z][A-Z_]{0,31}$/
const SUBJECT_PREFIX = "hub."
/** Settings by which a stream would copy from or to other streams. */
const FOREIGN_KEYS = ["mirror", "sources", "republish", "subject_transform"] as const

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const Sha256 = Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/))

/** The configuration as the server reported it. `configFault` and `consumerFault` refuse harmful settings. */
const configOf = <Config extends object>() =>
  Schema.declare((value): value is Config => typeof value === "object" && value !== null && !Array.isArray(value))

const File = Schema.Struct({ bytes: Count, sha256: Sha256 })

const StreamPart = Schema.Struct({
  name: Schema.String.check(Schema.isPattern(STREAM_PATTERN)),
  config: configOf<StreamConfig>(),
  /** The state at the cut: the snapshot contains `first_seq` to `last_seq`. */
  state: Schema.Struct({ first_seq: Count, last_seq: Count, messages: Count, bytes: Count }),
  snapshot: File,
  /** The messages after the cut that are part of the backup (backup.ts). */
  tail: Schema.Struct({ ...File.fields, messages: Count })
})

const ConsumerPart = Schema.Struct({
  stream: Schema.String.check(Schema.isPattern(STREAM_PATTERN)),
  name: Schema.String.check(Schema.isPattern(/^[a-z_]{1,32}$/)),
  config: configOf<ConsumerConfig>(),
  /** The sequence up to which everything had been acknowledged before the copying began. */
  floor: Count
})

const Manifest = Schema.Struct({
  format: Schema.Literal(FORMAT),
  product: Schema.String,
  server: Schema.String,
  /** Unix ms of the log's cut. */
  at: Count,
  /** The public half of the service's key in base64. The private half opens sealed texts of the log. */
  service_key: Schema.String,
  streams: Schema.Array(StreamPart).check(Schema.isMaxLength(STREAMS_MAX)),
  consumers: Schema.Array(ConsumerPart).check(Schema.isMaxLength(STREAMS_MAX)),
  /** The newest segment of the log's archive at the time of the backup. Absent if there was none. */
  archive: Schema.optionalKey(SegmentName)
})

export type Manifest = typeof Manifest.Type
export type StreamPart = typeof StreamPart.Type
export type ConsumerPart = typeof ConsumerPart.Type

/** The names of a stream's files. A backup contains these and the manifest only. */
export const snapshotFile = (stream: string): string => `${stream}.snapshot`
export const tailFile = (stream: string): string => `${stream}.tail`

export const sha256Of = (text: string): string => createHash("sha256").update(text).digest("hex")

export const manifestText = (manifest: Manifest): string =>
  `${JSON.stringify({ sha256: sha256Of(JSON.stringify(manifest)), backup: manifest }, null, 2)}\n`

const decode = Schema.decodeUnknownSync(Manifest)

/** The manifest, or the problem with the text, worded to follow the file's name. */
export const readManifest = (
  text: string
): { readonly ok: true; readonly manifest: Manifest } | { readonly ok: false; readonly problem: string } => {
  const wrong = (problem: string) => ({ ok: false, problem }) as const
  let read: { readonly sha256?: unknown; readonly backup?: { readonly format?: unknown } } | null
  try {
    read = JSON.parse(text) as typeof read
  } catch {
    return wrong("is no JSON: it is damaged, or no manifest of a backup")
  }
  if (typeof read !== "object" || read === null || typeof read.backup !== "object")
    return wrong("is no manifest of a backup")
  if (typeof read.backup?.format === "number" && read.backup.format !== FORMAT)
    return wrong(`is of format ${read.backup.format}, this release reads format ${FORMAT}`)
  if (read.sha256 !== sha256Of(JSON.stringify(read.backup)))
    return wrong("does not have the checksum that it states: it is damaged")
  let manifest: Manifest
  try {
    manifest = decode(read.backup)
  } catch (error) {
    return wrong(
      `is no manifest of a backup: ${error instanceof Error ? error.message.replaceAll(/\s+/g, " ") : String(error)}`
    )
  }
  const fault = faultOf(manifest)
  return fault === null ? { ok: true, manifest } : wrong(fault)
}

/** Streams that backups of earlier releases may lack. The next migration makes them. */
const NEWER: ReadonlySet<string> = new Set([
  streams.newcomersIdempotency,
  streams.reactions,
  streams.aside,
  streams.blobs,
  streams.people,
  streams.mail,
  streams.mailKeys,
  streams.vault,
  streams.vaultKeys,
  streams.audit
])

const faultOf = ({ streams: parts, consumers }: Manifest): string | null => {
  const names = parts.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return `names ${twice} twice`
  const lacking = Object.values(streams).find((name) => !names.includes(name) && !NEWER.has(name))
  if (lacking !== undefined) return `does not hold ${lacking}`
  const stray = consumers.find(({ stream }) => !names.includes(stream))
  if (stray !== undefined) return `has a consumer of ${stray}, which it does not hold`
  const consumer = consumers.map(consumerFault).find((fault) => fault !== null)
  if (consumer !== undefined) return consumer
  return parts.map(configFault).find((fault) => fault !== null) ?? null
}

/** The durable consumers of the service, by name. */
const CONSUMERS: Readonly<Record<string, { readonly stream: string; readonly subject: string }>> = {
  [durables.timers]: { stream: streams.timers, subject: subjects.timerFires },
  [durables.webhooks]: { stream: streams.events, subject: subjects.deliveries },
  [durables.outbound]: { stream: streams.events, subject: subjects.sendings },
  [durables.mailNotices]: { stream: streams.events, subject: subjects.mailNotices },
  [durables.keeper]: { stream: streams.events, subject: subjects.vaults }
}
/** Settings of a consumer whose values may differ between releases. */
const FIGURES: ReadonlySet<string> = new Set(["ack_wait", "max_ack_pending", "max_waiting", "num_replicas", "metadata"])

/**
 * Returns a fault if a consumer has settings that the service does not use. A `deliver_subject`, for example, would
 * send its messages to any subject.
 */
const consumerFault = ({ stream, name, config }: ConsumerPart): string | null => {
  const own = Object.hasOwn(CONSUMERS, name) ? CONSUMERS[name] : undefined
  if (own?.stream !== stream) return `has a consumer ${name} of ${stream}, which the service does not have`
  const wanted: Readonly<Record<string, unknown>> = {
    name,
    durable_name: name,
    filter_subject: own.subject,
    ack_policy: "explicit",
    deliver_policy: "all",
    replay_policy: "instant",
    max_deliver: -1
  }
  const foreign = Object.entries(config).find(
    ([key, value]) => !FIGURES.has(key) && !(Object.hasOwn(wanted, key) && wanted[key] === value)
  )
  return foreign === undefined ? null : `has ${foreign[0]} in the configuration of its consumer ${name}`
}

const configFault = ({ name, config }: StreamPart): string | null => {
  if (config.name !== name) return `has the configuration of another stream for ${name}`
  const foreign = FOREIGN_KEYS.find((key) => config[key] !== undefined)
  if (foreign !== undefined) return `has ${foreign} in the configuration of ${name}`
  const subjects: unknown = config.subjects
  const ours =
    Array.isArray(subjects) &&
    subjects.every((subject) => typeof subject === "string" && subject.startsWith(SUBJECT_PREFIX))
  return ours ? null : `has subjects in the configuration of ${name} that are not the service's`
}

/** A configuration without the metadata that the server adds (`_nats.…`). */
export const plainConfig = <Config extends { readonly metadata?: Readonly<Record<string, string>> }>({
  metadata,
  ...config
}: Config): Omit<Config, "metadata"> & Partial<Pick<StreamConfig, "metadata">> => {
  const own = Object.entries(metadata ?? {}).filter(([key]) => !key.startsWith("_nats."))
  return own.length === 0 ? config : { ...config, metadata: Object.fromEntries(own) }
}
