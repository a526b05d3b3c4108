/** The engine's ports beside the log. Each has one real implementation here and a model in the tests. */
import type { Effect } from "effect"

export interface Snapshot {
  readonly seq: number
  readonly state: unknown
  readonly commands: ReadonlyArray<RememberedCommand>
}

/** A command that was committed, for honest retries: id, Unix ms, reply. */
export interface RememberedCommand {
  readonly id: string
  readonly at: number
  readonly reply?: unknown
}

/** Only to start an actor faster: any failure reads as "there is none". */
export interface SnapshotStore {
  readonly load: (kind: string, id: string) => Promise<Snapshot | null>
  readonly save: (kind: string, id: string, snapshot: Snapshot) => Promise<void>
  /** Removes the one of this sequence, where it is the one that is stored. */
  readonly drop: (kind: string, id: string, seq: number) => Promise<void>
}

export interface Timers {
  /** Durable once resolved. `at`: Unix ms. */
  readonly set: (kind: string, id: string, name: string, at: number, more?: TimerMore) => Promise<void>
}

export interface TimerMore {
  readonly traceparent?: string | undefined
  /** Unix ms at which it fires a second time, in case its commit was still in flight at the first. */
  readonly again?: number | undefined
}

/** A commit of this kind, at its sequence. */
export interface Written {
  readonly kind: string
  readonly seq: number
}

/** Waits until the read models have these commits, or for the bound of its own; never fails. */
export interface ReadModels {
  readonly reached: (written: ReadonlyArray<Written>) => Promise<void>
}

/** The key stood elsewhere than expected; or nobody knows what became of the write. */
export type Unwritten = "conflict" | "unknown"
export type Ping = "pong" | "gone" | "silent"

/** A successful write is in the view when it is done, and older news of that key never overwrites it. */
export interface LeaseStore {
  /** Writes a key that must stand at `expected` (0: absent or deleted before anybody wrote it): its new revision. */
  readonly put: (key: string, value: string, expected: number, ttlSeconds?: number) => Effect.Effect<number, Unwritten>
  readonly remove: (key: string, expected: number) => Effect.Effect<number, Unwritten>
  /** Last heard revision of a key, 0 for never. */
  readonly revision: (key: string) => number
  /** Reads a key as the bucket has it now, into the view; where nobody answers, nothing changes. */
  readonly refresh: (key: string) => Effect.Effect<void>
  readonly ping: (session: string) => Effect.Effect<Ping>
}
