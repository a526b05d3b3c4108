/**
 * The content of the log, and its readers and writers. The log has one real implementation (event-log.ts) and a model
 * in the tests.
 */

/** A past-tense, absolute fact ("name is now X", not "changed by"). `v` counts the versions of its shape. */
export interface EventShape {
  readonly type: string
  readonly v: number
}

/** One message of the log: the events that one command put on one subject. */
export interface Commit {
  /** Shape of this record. */
  readonly v: 1
  /** The command's id: a repeated one is answered from here. */
  readonly id: string
  readonly op: string
  /** Unix ms, as the command was decided. */
  readonly at: number
  /** Hub id of the agent that asked, `operator` or `timer`; absent for the service itself. */
  readonly by?: string
  readonly events: ReadonlyArray<EventShape>
  readonly reply?: unknown
  readonly trace?: string
  /** The reason of an operator's command, where it came with one. */
  readonly why?: string
}

export interface LogEntry {
  readonly seq: number
  readonly commit: Commit
  /** Sequence of the commit before it on its subject, 0 for the first; absent where the log does not say. */
  readonly previous?: number
  /** The trace that it was committed in, 32 hex characters; absent if that was not sampled. */
  readonly trace_id?: string
}

/** The newest entry of a subject. */
export interface Tip {
  readonly seq: number
  /** `null` where it is archived: to read it costs a block of a segment. */
  readonly entry: LogEntry | null
}

export interface LogPage {
  readonly entries: ReadonlyArray<LogEntry>
  readonly more: boolean
}

export interface Append {
  readonly subject: string
  /** Sequence of the last message on the subject; 0 for none. */
  readonly expected: number
  /**
   * Nobody but the group's first subject ever begins this one: its id is a number that was drawn for a command of that
   * actor (counters.ts). `expected` is 0.
   */
  readonly drawn?: true | undefined
  /** Goes behind whatever the subject has: `expected` says nothing. */
  readonly unfenced?: true
  readonly commit: Commit
  /** Goes with the message as a header, for those who act on it; it is no part of the commit. */
  readonly traceparent?: string | undefined
  /** After so long the server forgets the message; absent: never. */
  readonly keepSeconds?: number | undefined
}

export type AppendResult =
  /** `batch`: messages that were written together. */
  | { readonly ok: true; readonly seqs: ReadonlyArray<number>; readonly batch?: number }
  /** Nothing was written: a subject stands elsewhere than expected. */
  | { readonly ok: false; readonly reason: "conflict" }
  /** Nothing was written: the queue is full. */
  | { readonly ok: false; readonly reason: "overloaded" }
  /** Nothing was written: the server has no room left. */
  | { readonly ok: false; readonly reason: "full" }
  /** Nothing was written: whether a subject has commits in the archive could not be found out. */
  | { readonly ok: false; readonly reason: "unasked" }
  /** Nobody knows: the bus went away, or did not answer in time. Ask the log. */
  | { readonly ok: false; readonly reason: "unknown" }

export interface EventLog {
  /** All or nothing, durable when it resolves. */
  readonly append: (group: ReadonlyArray<Append>) => Promise<AppendResult>
  /**
   * Up to `max` entries of a subject from `after` (exclusive) on, in order. `upTo`: a sequence at which the subject is
   * known to have an entry, so that the log needs not be asked. Rejects when the log cannot be read.
   */
  readonly read: (subject: string, after: number, max: number, upTo?: number) => Promise<LogPage>
  /** The last entry of a subject; `null` if there is none. Rejects when the log cannot be read. */
  readonly tip: (subject: string) => Promise<Tip | null>
  /** The newest entry of a subject; `null` where there is none. Rejects when the log cannot be read. */
  readonly last: (subject: string) => Promise<LogEntry | null>
  /** The last sequence of a subject, 0 for none. */
  readonly lastSeq: (subject: string) => Promise<number>
}
