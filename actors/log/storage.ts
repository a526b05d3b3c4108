/**
 * Room for the log: below a floor of free bytes no commit is appended, so that what reads need (the memory of nonces
 * above all, in streams of bounded size) goes on.
 *
 * Where it is measured: by the disk itself, where nats-server is the launcher's own on this machine; by each server's
 * monitoring (HUB_NATS_MONITOR), which tells how much it may store and does; by the account's bound, where it has one.
 * The least of what is known counts. A server that refuses a commit for want of room says the same, for
 * REFUSED_HOLD_MS.
 */
import { statfs } from "node:fs/promises"
import { join } from "node:path"
import type { JetStreamManager } from "@nats-io/jetstream"
import { busServers } from "../../schemas/bus/servers.ts"
import type { HubConfig } from "../../schemas/config.ts"
import type { Refusal } from "../../schemas/errors.ts"

export const LOOK_EVERY_MS = 1000
const LOOK_WITHIN_MS = 400
const REFUSED_HOLD_MS = 5000
/** Writes begin again above the floor by this much of it, so that they do not flicker. */
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

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/

/** Where the launcher's own server keeps the log, if that is the one in use. */
const onDisk = async ({ natsUrl, data }: StorageParts["config"]): Promise<number | null> => {
  const servers = busServers(natsUrl, "queries")?.servers ?? []
  if (servers.length === 0 || !servers.every((server) => LOOPBACK.test(server))) return null
  const files = await statfs(join(data, "nats")).catch(() => null)
  return files === null ? null : files.bavail * files.bsize
}

interface Monitored {
  /** It has no JetStream, or not any more: it is on its way out. Its figures are all 0 then. */
  readonly disabled?: boolean
  readonly storage?: number
  readonly config?: { readonly max_storage?: number }
}

/** What one server may still store. */
const onServer = async (monitor: string): Promise<number | null> => {
  const answer = await fetch(new URL("/jsz", monitor), {
    signal: AbortSignal.timeout(LOOK_WITHIN_MS),
    redirect: "error"
  })
  if (Number(answer.headers.get("content-length") ?? 0) > ANSWER_MAX_BYTES) return null
  const { disabled, storage, config } = (await answer.json()) as Monitored
  return disabled === true || storage === undefined || config?.max_storage === undefined
    ? null
    : Math.max(0, config.max_storage - storage)
}

const inAccount = async ({ getAccountInfo }: StorageParts["manager"]): Promise<number | null> => {
  const { storage, limits } = await getAccountInfo()
  return limits.max_storage > 0 ? Math.max(0, limits.max_storage - storage) : null
}

/** Bytes that may still be written; `null` where nothing tells. */
export const freeStorage = async ({ manager, config }: StorageParts): Promise<number | null> => {
  const found = await Promise.all([
    onDisk(config),
    inAccount({ getAccountInfo: () => manager.getAccountInfo() }).catch(() => null),
    ...config.natsMonitors.map((monitor) => onServer(monitor).catch(() => null))
  ])
  const known = found.filter((free) => free !== null)
  return known.length === 0 ? null : Math.min(...known)
}

export class StorageWatch {
  /** As last seen. */
  free: number | null = null
  private below = false
  private refusedUntil = Number.NEGATIVE_INFINITY
  private looking: Promise<void> | null = null
  private readonly parts: StorageParts
  private readonly floor: number

  /** `floor`: bytes that must stay free. */
  constructor(parts: StorageParts, floor: number) {
    this.parts = parts
    this.floor = floor
  }

  get low(): boolean {
    return this.below || performance.now() < this.refusedUntil
  }

  refusal(): Refusal | null {
    return this.low ? storageLow() : null
  }

  /** A server had no room for a commit. */
  refused(): void {
    this.refusedUntil = performance.now() + REFUSED_HOLD_MS
  }

  /** To be called every LOOK_EVERY_MS. Never rejects. */
  look(): Promise<void> {
    this.looking ??= freeStorage(this.parts)
      .then((free) => this.seen(free))
      .finally(() => {
        this.looking = null
      })
    return this.looking
  }

  private seen(free: number | null): void {
    this.free = free
    if (free === null) return
    const below = free < (this.below ? (this.floor * RESUME_PERCENT) / 100 : this.floor)
    if (below === this.below) return
    this.below = below
    const message = below
      ? "there is too little room left for the log: writes are refused, reads go on"
      : "there is room for the log again"
    console.error(JSON.stringify({ level: below ? "error" : "info", at: "storage", free, floor: this.floor, message }))
  }
}
