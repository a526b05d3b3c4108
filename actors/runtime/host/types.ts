/** The inputs and outputs of the host of compartments: plain values without the bus or Effect. */

/** Bounds of one compartment (spec 2.11). */
export interface Quotas {
  readonly cpus: number
  readonly memory_mb: number
  readonly disk_mb: number
  readonly tmp_mb: number
  readonly pids: number
}

export interface HostSettings {
  readonly socket: string
  /** The absolute path of `<HUB_DATA>/runtime`. */
  readonly folder: string
  /** Distinguishes this deployment's containers from others on the same machine. */
  readonly tag: string
  readonly image: string
  readonly quotas: Quotas
  /** The time limit for a program to end on its own, if it differs from the usual one. */
  readonly graceMaxMs?: number
  readonly logLines: number
  /** Called with one line about a failure that no caller sees. */
  readonly note?: (line: string) => void
}

export interface SlotPlace {
  readonly index: number
  readonly network: string
  readonly address: string
}

/** Files for a compartment: a gzipped tar archive that was checked before. */
export interface Upload {
  readonly id: string
  /** A path relative to /data/work. */
  readonly dest: string
  readonly file: string
}

export type Applied = { readonly ok: true } | { readonly ok: false; readonly why: string }

/** Called once for each upload that was tried. */
export type OnUpload = (upload: Upload, applied: Applied) => void | Promise<void>

export type Environment = ReadonlyMap<string, string>

export interface StartOrder {
  readonly compartment: string
  /** The number of this start. It is used only once. */
  readonly run: number
  readonly slot: SlotPlace
  readonly command: string
  readonly env: Environment
  /** Entries `name:address`. */
  readonly extraHosts: ReadonlyArray<string>
  /** Applied in this order before the program starts. */
  readonly uploads: ReadonlyArray<Upload>
}

export type StartedProgram = Pick<StartOrder, "command" | "env">

export interface FoundContainer {
  readonly compartment: string
  readonly run: number
  readonly slot: number
  /** Tag of the image that the container was made from. */
  readonly image: string
  readonly state: "created" | "running" | "exited"
  /** 128 + n after a kill by signal n; null if the container has not exited. */
  readonly exitCode: number | null
  readonly oomKilled: boolean
  /** Unix ms. */
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

export type Stream = "stdout" | "stderr" | "system"

export interface Line {
  /** Ascending over all runs of a compartment. */
  readonly id: number
  /** Unix ms. */
  readonly at: number
  readonly stream: Stream
  readonly line: string
}

export interface LogQuery {
  /** Only lines after this id. null: the last `limit` lines. */
  readonly sinceId: number | null
  readonly limit: number
  readonly stream: Stream | null
  /** Only lines that contain this text, in any letter case. */
  readonly q: string | null
  /** Milliseconds to wait if there is no such line yet. */
  readonly waitMs: number
}

export interface LogPage {
  readonly lines: ReadonlyArray<Line>
  /** True if lines after `sinceId` are missing, because more were written than are kept. */
  readonly truncated: boolean
  /** True if further kept lines match. */
  readonly more: boolean
  /** All lines up to this id were examined. It is the next `sinceId`. */
  readonly lastId: number
}

/** The present use of resources (contract 8). */
export interface Stats {
  /** Unix ms. */
  readonly at: number
  /** In percent of one core. */
  readonly cpu_percent: number
  readonly memory_mb: number
  readonly disk_mb: number
  readonly pids: number
  readonly rx_bytes: number
  readonly tx_bytes: number
  readonly uptime_seconds: number
}

export interface HostFacts {
  readonly isolation: "runsc" | "runc"
  readonly engine: string
  /** The user and group of this machine that a container's root is. */
  readonly rootUid: number
  readonly rootGid: number
}

export interface ExecOrder {
  readonly user: string
  readonly argv: ReadonlyArray<string>
  /** The standard input. Secrets belong here, because others can read arguments and environment. */
  readonly stdin?: string | Uint8Array
  /** True if the call does not wait for the program after it has got its input. */
  readonly detach: boolean
}

export interface ExecResult {
  /** null if the program was detached. */
  readonly exitCode: number | null
  /** The beginning of its output, of both streams. */
  readonly output: string
}

/** The result of reading a container's output again. `gone`: it does not run. */
export type Adopted = "running" | "awaiting" | "gone"
