/** The engine's ports besides the log. */
import type { Effect } from "effect"
import type { WrittenCommit } from "../log/commit.ts"

export interface Snapshot {
  readonly seq: number
  readonly state: unknown
  readonly commands: ReadonlyArray<RememberedCommand>
}

/** A committed command, remembered so that a retry gets the same reply: id, Unix ms, reply. */
export interface RememberedCommand {
  readonly id: string
  readonly at: number
  readonly reply?: unknown
}

/** Snapshots only make an actor start faster. If a load fails, the actor starts as if there were none. */
export interface SnapshotStore {
  readonly load: (kind: string, id: string) => Promise<Snapshot | null>
  readonly save: (kind: string, id: string, snapshot: Snapshot) => Promise<void>
  /** Removes the snapshot of this sequence, if it is the stored one. */
  readonly drop: (kind: string, id: string, seq: number) => Promise<void>
}

export interface Timers {
  /** The timer is durable once this resolves. `at`: Unix ms. */
  readonly set: (kind: string, id: string, name: string, at: number, more?: TimerMore) => Promise<void>
}

export interface TimerMore {
  readonly traceparent?: string | undefined
  /** Unix ms at which it fires a second time, in case its commit was still in flight at the first one. */
  readonly again?: number | undefined
}

/** Waits for a limited time until the read models contain these commits, or does not wait at all. Never fails. */
export interface ReadModels {
  readonly reached: (written: ReadonlyArray<Pick<WrittenCommit, "kind" | "seq">>) => Promise<void>
}

/** `conflict`: the key was not at the expected revision. `unknown`: the outcome of the write is not known. */
export type Unwritten = "conflict" | "unknown"
export type Ping = "pong" | "gone" | "silent"

/** A successful write is visible in the view when it resolves. An older value of that key never overwrites it. */
export interface LeaseStore {
  /** Writes a key that must be at revision `expected` (0: absent). Returns its new revision. */
  readonly put: (key: string, value: string, expected: number, ttlSeconds?: number) => Effect.Effect<number, Unwritten>
  readonly remove: (key: string, expected: number) => Effect.Effect<number, Unwritten>
  /** The last revision of a key that this node has seen; 0 if none. */
  readonly revision: (key: string) => number
  /** Reads a key from the bucket into the view. If the bucket does not answer, nothing changes. */
  readonly refresh: (key: string) => Effect.Effect<void>
  readonly ping: (session: string) => Effect.Effect<Ping>
}
