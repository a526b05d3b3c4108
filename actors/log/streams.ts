/**
 * The streams of the service. The operator's migration makes and updates them (ops/migrations/migrate.ts). A node waits
 * until they exist.
 */
import {
  DiscardPolicy,
  type JetStreamManager,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig
} from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { answersMaxBytes, newcomersMaxBytes } from "../../schemas/idempotency/share.ts"
import type { Limits } from "../../schemas/limits.ts"
import { ensureConsumer, wantedConsumers } from "./consumers.ts"
import { isMissing } from "./jetstream-codes.ts"
import { refuseHalfRestored } from "./restore-mark.ts"
import { buckets, streams, subjects } from "../../schemas/subjects.ts"

const SECOND = 1_000_000_000
/** Nonces are kept this much longer than they must be refused, so that differing clocks do not allow a second use. */
export const NONCE_MARGIN_SECONDS = 60
/** Seconds that a session lives without a beat (actors/engine/placement.ts). */
export const SESSION_TTL_SECONDS = 3
/** Room for some 80,000 lines of the console. */
const AUDIT_MAX_BYTES = 16_777_216

type StreamSettings = Partial<StreamConfig> & { readonly name: string; readonly subjects: Array<string> }

const common = { storage: StorageType.File, retention: RetentionPolicy.Limits, allow_direct: true }

/**
 * A stream that reached its limit in bytes either drops the oldest messages or refuses new ones. Counts of visits may
 * be dropped, and so may answers that a retry gets again. A dropped nonce would be valid again, so its stream refuses.
 */
const dropping = (max_bytes: number) => ({ max_bytes, discard: DiscardPolicy.Old })
const refusing = (max_bytes: number) => ({ max_bytes, discard: DiscardPolicy.New })
/**
 * The streams without a limit in bytes, each with the reason. The server reserves the space of a limit on every disk.
 */
export const UNBOUNDED: Readonly<Record<string, string>> = {
  [streams.events]: "writes are refused below a floor of free bytes (storage.ts); actors that end leave it",
  [streams.blobs]: "uploads are refused below that floor, and each agent has its bytes of a day",
  [streams.mail]:
    "the mail processes refuse mail above `stored_max_bytes`, which is not set aside where there is no mail",
  [streams.people]: "one key of 400 bytes for each account of the log; a lost key is a lost person",
  [streams.mailKeys]: "one key of 400 bytes for each mailbox of the log; mail without its key is lost",
  [streams.vaultKeys]: "one key of 400 bytes for each vault of the log; a lost key is a lost secret",
  [streams.vault]:
    "each vault may have a number of entries, and their journal is refused below the floor of free bytes",
  [streams.timers]:
    "the server lets no stream of schedules refuse, and dropping would lose timers; fired ones end after 30 days",
  [streams.counters]: "the server lets no counter have a bound; one message for each of a few names"
}
/**
 * The fields are named explicitly, because an update keeps fields that it does not name and an earlier release had
 * limits here.
 */
const keptWithLog = { max_bytes: -1, discard: DiscardPolicy.New }

const wantedLeases = ({ service }: Limits, replicas: number): StreamSettings => ({
  ...common,
  num_replicas: replicas,
  ...refusing(service.leases_max_bytes),
  name: `KV_${buckets.leases}`,
  subjects: [`$KV.${buckets.leases}.>`],
  max_msgs_per_subject: 1,
  allow_msg_ttl: true,
  subject_delete_marker_ttl: 60 * SECOND,
  allow_rollup_hdrs: true,
  deny_delete: true
})

const wantedStreams = (
  { service, authentication, identity }: Limits,
  replicas: number
): ReadonlyArray<StreamSettings> => [
  {
    ...common,
    num_replicas: replicas,
    name: streams.events,
    subjects: [subjects.events],
    allow_atomic: true,
    allow_msg_ttl: true
  },
  {
    ...common,
    num_replicas: replicas,
    ...refusing(service.nonces_max_bytes),
    name: streams.nonces,
    subjects: [subjects.nonce],
    max_age: (authentication.nonce_reuse_seconds + NONCE_MARGIN_SECONDS) * SECOND
  },
  {
    ...common,
    num_replicas: replicas,
    ...refusing(service.proofs_max_bytes),
    name: streams.proofs,
    subjects: [subjects.proof],
    max_age: (identity.nonce_memory_seconds + NONCE_MARGIN_SECONDS) * SECOND
  },
  {
    ...common,
    num_replicas: replicas,
    ...dropping(service.verified_max_bytes),
    name: streams.verified,
    subjects: [subjects.verifiedAll],
    max_msgs_per_subject: 1
  },
  {
    ...common,
    num_replicas: replicas,
    ...dropping(service.seen_max_bytes),
    name: streams.seen,
    subjects: [subjects.seenAll],
    max_msgs_per_subject: 1
  },
  {
    ...common,
    num_replicas: replicas,
    ...dropping(service.limits_max_bytes),
    name: streams.limits,
    subjects: [subjects.limitsAll],
    max_msgs_per_subject: 1,
    allow_msg_ttl: true
  },
  {
    ...common,
    num_replicas: replicas,
    ...dropping(answersMaxBytes(service)),
    name: streams.idempotency,
    subjects: [subjects.idempotencyAll],
    max_msgs_per_subject: 1,
    allow_msg_ttl: true
  },
  {
    ...common,
    num_replicas: replicas,
    ...dropping(newcomersMaxBytes(service)),
    name: streams.newcomersIdempotency,
    subjects: [subjects.newcomersIdempotencyAll],
    max_msgs_per_subject: 1,
    allow_msg_ttl: true
  },
  {
    ...common,
    num_replicas: replicas,
    ...refusing(service.reactions_max_bytes),
    name: streams.reactions,
    subjects: [subjects.reactionMarks],
    max_msgs_per_subject: 1
  },
  {
    ...common,
    num_replicas: replicas,
    ...refusing(service.aside_max_bytes),
    name: streams.aside,
    subjects: [subjects.asideAll],
    max_msgs_per_subject: 1
  },
  {
    // No single line is deleted. The oldest ones are dropped when the stream is full.
    ...common,
    num_replicas: replicas,
    ...dropping(AUDIT_MAX_BYTES),
    name: streams.audit,
    subjects: [subjects.audit],
    deny_delete: true,
    deny_purge: true
  },
  {
    // A piece is written once and never overwritten.
    ...common,
    num_replicas: replicas,
    discard: DiscardPolicy.New,
    discard_new_per_subject: true,
    max_msgs_per_subject: 1,
    allow_atomic: true,
    name: streams.blobs,
    subjects: [subjects.blobs]
  },
  {
    ...common,
    num_replicas: replicas,
    ...keptWithLog,
    name: streams.people,
    subjects: [subjects.accountKeys],
    max_msgs_per_subject: 1
  },
  {
    ...common,
    num_replicas: replicas,
    ...keptWithLog,
    name: streams.mailKeys,
    subjects: [subjects.mailKeys],
    max_msgs_per_subject: 1
  },
  {
    // Mail that does not fit is refused, and stays with its sender until there is room.
    ...common,
    num_replicas: replicas,
    discard: DiscardPolicy.New,
    discard_new_per_subject: true,
    max_msgs_per_subject: 1,
    allow_atomic: true,
    allow_msg_ttl: true,
    name: streams.mail,
    subjects: [subjects.mail]
  },
  {
    // A ciphertext is written once (actors/vault/ciphertexts.ts).
    ...common,
    num_replicas: replicas,
    max_msgs_per_subject: 1,
    allow_atomic: true,
    name: streams.vault,
    subjects: [subjects.vault]
  },
  {
    // Only the keeper may read the keys (roles.conf). A key that is sealed again is stored beside the former one until
    // that is erased, because the server would leave the bytes of a replaced message on disk.
    ...common,
    num_replicas: replicas,
    ...keptWithLog,
    name: streams.vaultKeys,
    subjects: [subjects.vaultKeys, subjects.vaultTokens],
    max_msgs_per_subject: 2
  },
  {
    ...common,
    num_replicas: replicas,
    name: streams.timers,
    subjects: [subjects.timerSets, subjects.timerFires],
    max_msgs_per_subject: 1,
    allow_msg_schedules: true,
    allow_msg_ttl: true
  },
  {
    ...common,
    num_replicas: replicas,
    name: streams.counters,
    subjects: [subjects.counters],
    max_msgs_per_subject: 1,
    allow_msg_counter: true
  }
]

/**
 * Makes the one stream of a restored service that no backup contains. It is made last, and nodes wait until it exists.
 */
export const ensureLeases = async (manager: JetStreamManager, limits: Limits, replicas: number): Promise<void> => {
  await manager.streams.add(wantedLeases(limits, replicas))
}

/** Makes the streams and the durable consumers. A stream that exists already is updated. */
export const ensureStreams = async (
  nats: NatsConnection,
  limits: Limits,
  replicas: number
): Promise<JetStreamManager> => {
  const manager = await jetstreamManager(nats, { checkAPI: false })
  await refuseHalfRestored(manager)
  for (const wanted of wantedStreams(limits, replicas)) await ensureStream(manager, wanted)
  for (const durable of wantedConsumers(limits)) await ensureConsumer(manager, durable)
  await ensureStream(manager, wantedLeases(limits, replicas))
  return manager
}

const ensureStream = async (manager: JetStreamManager, wanted: StreamSettings): Promise<void> => {
  try {
    await manager.streams.add(wanted)
  } catch (why) {
    // If the stream does not exist, the error of its creation counts.
    await manager.streams.update(wanted.name, wanted).catch((error: unknown) => {
      throw isMissing(error) ? why : error
    })
  }
}

/**
 * Rejects if the streams do not exist yet or are incomplete. The leases are made last, by a migration and by a restore.
 * A process that may not read the log may not ask about it either, because its description names every subject in it.
 */
export const findStreams = async (nats: NatsConnection, readsLog: boolean): Promise<JetStreamManager> => {
  const manager = await jetstreamManager(nats, { checkAPI: false })
  if (readsLog) await refuseUnfit(manager)
  await manager.streams.info(`KV_${buckets.leases}`)
  return manager
}

const refuseUnfit = async (manager: JetStreamManager): Promise<void> => {
  await refuseHalfRestored(manager)
  const { config } = await manager.streams.info(streams.events)
  if (config.allow_msg_ttl !== true) throw new Error("they are of an older release: hub migrate brings them up to date")
}
