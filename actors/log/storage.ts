/**
 * Guards the disk space of the log. Below a floor of free bytes, nodes refuse commands that would append commits. So
 * reads continue: they need room above all for the nonce log, a stream of bounded size.
 *
 * The smallest known figure counts. If nats-server runs on this machine, one figure is the disk's free bytes. Others
 * are the rest of each server's limit, from its monitoring (HUB_NATS_MONITOR), and the rest of the account's limit. If
 * a server refuses a commit for lack of room, the disk counts as full for REFUSED_HOLD_MS.
 */
import { statfs } from "node:fs/promises"
import { join } from "node:path"
import type { JetStreamManager } from "@nats-io/jetstream"
import { Clock, Effect, Schedule, Schema, type Scope } from "effect"
import { busServers } from "../../schemas/bus/servers.ts"
import type { HubConfig } from "../../schemas/config.ts"
import type { Refusal } from "../../schemas/errors.ts"
import { monotonicMs } from "../../schemas/runtime/clock.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"

const LOOK_EVERY_MS = 1000
const LOOK_WITHIN_MS = 400
const REFUSED_HOLD_MS = 5000
/** Writes begin again only at this percentage of the floor, so that they do not switch on and off. */
const RESUME_PERCENT = 110
const RETRY_AFTER_SECONDS = 60
const ANSWER_MAX_BYTES = 65_536

export const storageLow = (): Refusal => ({
  code: "overloaded",
  message: "There is too little room left to keep what is written. Reading goes on.",
  details: { reason: "storage_low" },
  retryAfter: RETRY_AFTER_SECONDS
})

export interface StorageParts {
  readonly manager: Pick<JetStreamManager, "getAccountInfo">
  readonly config: Pick<HubConfig, "natsUrl" | "natsMonitors" | "data">
}

/** Measures the free bytes. Fails, or resolves to `null`, if this method does not work here. */
type Looking = Effect.Effect<number | null, unknown>

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/

/** Free bytes on the disk of the launcher's data folder, if all servers of the bus are on this machine. */
const onDisk = ({ natsUrl, data }: StorageParts["config"]): Looking => {
  const servers = busServers(natsUrl, "queries")?.servers ?? []
  if (servers.length === 0 || !servers.every((server) => LOOPBACK.test(server))) return Effect.succeed(null)
  return Effect.map(
    Effect.tryPromise(() => statfs(join(data, "nats"))),
    (files) => files.bavail * files.bsize
  )
}

const Monitored = Schema.Struct({
  /** The server has no JetStream, or is shutting down. All its figures are then 0. */
  disabled: Schema.optional(Schema.Boolean),
  storage: Schema.optional(Schema.Number),
  config: Schema.optional(Schema.Struct({ max_storage: Schema.optional(Schema.Number) }))
})
const readMonitored = Schema.decodeUnknownSync(Monitored)

const onServer = (monitor: string): Looking =>
  Effect.timeout(
    Effect.tryPromise(async (signal) => {
      const answer = await fetch(new URL("/jsz", monitor), { signal, redirect: "error" })
      if (Number(answer.headers.get("content-length") ?? 0) > ANSWER_MAX_BYTES) return null
      const { disabled, storage, config } = readMonitored(await answer.json())
      return disabled === true || storage === undefined || config?.max_storage === undefined
        ? null
        : Math.max(0, config.max_storage - storage)
    }),
    LOOK_WITHIN_MS
  )

const inAccount = (manager: StorageParts["manager"]): Looking =>
  Effect.map(
    Effect.tryPromise(() => manager.getAccountInfo()),
    ({ storage, limits }) => (limits.max_storage > 0 ? Math.max(0, limits.max_storage - storage) : null)
  )

/** Bytes that may still be written; `null` if no limit is known. */
export const freeStorage = ({ manager, config }: StorageParts): Effect.Effect<number | null> => {
  const looks = [onDisk(config), inAccount(manager), ...config.natsMonitors.map(onServer)]
  const all = looks.map((look) => Effect.orElseSucceed(look, () => null))
  return Effect.map(Effect.all(all, { concurrency: "unbounded" }), (found) => {
    const known = found.filter((free) => free !== null)
    return known.length === 0 ? null : Math.min(...known)
  })
}

/** The log lines for reaching the floor, and for leaving it. */
export interface StorageWords {
  readonly low: string
  readonly again: string
}

const OF_THE_LOG: StorageWords = {
  low: "there is too little room left for the log: writes are refused, reads go on",
  again: "there is room for the log again"
}

export class StorageWatch {
  /** The free bytes when they were last measured; `null` if no limit is known. */
  free: number | null = null
  private below = false
  private refusedUntil = Number.NEGATIVE_INFINITY
  private readonly clock: Clock.Clock
  private readonly floor: number
  private readonly words: StorageWords

  private constructor(clock: Clock.Clock, floor: number, words: StorageWords) {
    this.clock = clock
    this.floor = floor
    this.words = words
  }

  /** Measures now, and repeatedly while the scope is open. `floor`: bytes that must stay free. */
  static watching(
    parts: StorageParts,
    floor: number,
    words: StorageWords = OF_THE_LOG
  ): Effect.Effect<StorageWatch, never, Scope.Scope> {
    return Effect.gen(function* () {
      const watch = new StorageWatch(yield* Clock.Clock, floor, words)
      const look = Effect.map(freeStorage(parts), (free) => watch.seen(free))
      yield* look
      yield* Effect.forkScoped(Effect.schedule(look, Schedule.fixed(LOOK_EVERY_MS)))
      return watch
    })
  }

  get low(): boolean {
    return this.below || monotonicMs(this.clock) < this.refusedUntil
  }

  refusal(): Refusal | null {
    return this.low ? storageLow() : null
  }

  /** Called when a server had no room for a commit. */
  refused(): void {
    this.refusedUntil = monotonicMs(this.clock) + REFUSED_HOLD_MS
  }

  private seen(free: number | null): void {
    this.free = free
    if (free === null) return
    const below = free < (this.below ? (this.floor * RESUME_PERCENT) / 100 : this.floor)
    if (below === this.below) return
    this.below = below
    const message = below ? this.words.low : this.words.again
    logNow(below ? "error" : "info", "storage", { free, floor: this.floor, message })
  }
}
