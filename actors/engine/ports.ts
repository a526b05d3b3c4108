/** What the engine needs of the world beside the log. Each has one real implementation here and a model in the tests. */

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
}

export interface Timers {
  /** Durable once resolved. */
  readonly set: (kind: string, id: string, name: string, at: number, traceparent?: string) => Promise<void>
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
