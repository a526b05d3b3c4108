/**
 * The content of the log, and the interfaces of its readers and writers. They have one real implementation
 * (event-log.ts) and a model in the tests.
 */

/**
 * A fact in the past tense with absolute values ("name is now X", not "changed by"). `v` is the version of its fields.
 */
export interface EventShape {
  readonly type: string
  readonly v: number
}

/** One message of the log: the events that one command appended to one subject. */
export interface Commit {
  readonly v: 1
  /** The command's id. A repeated command is answered from the commit with its id. */
  readonly id: string
  readonly op: string
  /** Unix ms at which the command was decided. */
  readonly at: number
  /** `hx` form of the public key that signed the command; absent if it was not signed. */
  readonly by?: string
  readonly events: ReadonlyArray<EventShape>
  readonly reply?: unknown
  readonly trace?: string
  /** The reason that an operator gave for the command, if any. */
  readonly why?: string
}

export interface LogEntry {
  readonly seq: number
  readonly commit: Commit
  /** The sequence of the previous commit on the subject; 0 for the first. Absent if the log does not say. */
  readonly previous?: number
  /**
   * The id of the trace in which the commit was made, as 32 hex characters; absent if the trace was not sampled or not
   * read.
   */
  readonly trace_id?: string
}

export interface Tip {
  readonly seq: number
  /** `null` if the entry is archived, because reading it costs a block of a segment. */
  readonly entry: LogEntry | null
}

export interface LogPage {
  readonly entries: ReadonlyArray<LogEntry>
  readonly more: boolean
}

export interface Append {
  readonly subject: string
  /** The sequence of the last message on the subject; 0 if there is none. */
  readonly expected: number
  /**
   * True if only the group's first subject can begin this one, because its id is a number that was drawn for a command
   * of that actor (counters.ts). `expected` is 0.
   */
  readonly drawn?: true | undefined
  /** True to append after any last message of the subject. `expected` is then not used. */
  readonly unfenced?: true
  readonly commit: Commit
  /** Sent as a header of the message, for readers of the log. It is not part of the commit. */
  readonly traceparent?: string | undefined
  /** Seconds after which the server deletes the message; absent for never. */
  readonly keepSeconds?: number | undefined
}

export type AppendResult =
  /** `batch`: the number of messages in the same batch. */
  | { readonly ok: true; readonly seqs: ReadonlyArray<number>; readonly batch?: number }
  /** Nothing was written: a subject was not at the expected sequence. */
  | { readonly ok: false; readonly reason: "conflict" }
  /** Nothing was written: the queue is full. */
  | { readonly ok: false; readonly reason: "overloaded" }
  /** Nothing was written: the server has no room left. */
  | { readonly ok: false; readonly reason: "full" }
  /** Nothing was written: it is unknown whether a subject has commits in the archive. */
  | { readonly ok: false; readonly reason: "unasked" }
  /** Nothing was written: when its turn came, the group did not hold any more. */
  | { readonly ok: false; readonly reason: "lost" }
  /** The outcome is unknown: the connection was lost, or no answer came in time. The caller has to read the log. */
  | { readonly ok: false; readonly reason: "unknown" }

export interface WrittenCommit {
  readonly kind: string
  readonly id: string
  readonly seq: number
}

export interface EventLog {
  /**
   * Writes all of the group or nothing. It is durable when this resolves. `holds` is asked immediately before the group
   * is sent; if it is false, nothing is sent.
   */
  readonly append: (group: ReadonlyArray<Append>, holds?: () => boolean) => Promise<AppendResult>
  /**
   * Up to `max` entries of a subject after `after`, in order. `upTo`: a sequence at which the subject is known to have
   * an entry, so that the log need not be asked. Rejects when the log cannot be read.
   */
  readonly read: (subject: string, after: number, max: number, upTo?: number) => Promise<LogPage>
  /** The last entry of a subject; `null` if there is none. Rejects when the log cannot be read. */
  readonly tip: (subject: string) => Promise<Tip | null>
  /** The newest entry of a subject; `null` if there is none. Rejects when the log cannot be read. */
  readonly last: (subject: string) => Promise<LogEntry | null>
  /** The last sequence of a subject; 0 if it has none. */
  readonly lastSeq: (subject: string) => Promise<number>
  /**
   * The commits of a command that was decided at `at` (Unix ms), the first one on this subject. None if the log has
   * dropped them, or if the subject has had too many since. Rejects when the log cannot be read.
   */
  readonly commitsOf: (command: string, subject: string, at: number) => Promise<ReadonlyArray<WrittenCommit>>
}
