/** The interface of a host for the reconciler (reconciler.ts): a real host (real-machine.ts), or a simulated one. */
import type { Isolation } from "../../schemas/compartment/records.ts"
import type {
  Adopted,
  Applied,
  Environment,
  ExecOrder,
  ExecResult,
  FoundContainer,
  LogPage,
  LogQuery,
  Stats
} from "./host/types.ts"

export interface Archive {
  readonly id: number
  readonly dest: string
  readonly bytes: Uint8Array
}

export interface Order {
  readonly compartment: string
  readonly run: number
  readonly command: string
  readonly env: Environment
  readonly archives: ReadonlyArray<Archive>
}

export interface Health {
  /** The reason why no compartment can be started now; `null` if one can. */
  readonly reason: string | null
  /** True if the reason passes without an action. */
  readonly starting: boolean
  readonly isolation: Isolation | null
  readonly firewall: boolean | null
  readonly egress: boolean | null
}

export interface Machine {
  readonly name: string
  readonly health: () => Health
  /** Containers, running or not. Fails while the engine is away. */
  readonly found: () => Promise<ReadonlyArray<FoundContainer>>
  /** The newest run that was begun on this host; 0 if there is none. It survives a restart of this process. */
  readonly begun: (compartment: string) => number
  /**
   * Idempotent for a run, even if half of it was done before. Throws a HostFault, or an EngineFault if a later try may
   * succeed.
   */
  readonly start: (order: Order, applied: (archive: number, how: Applied) => Promise<void>) => Promise<void>
  /**
   * Reads a running container's output again. `awaiting`: its program was not started, which `start` does after it has
   * checked the container's limits.
   */
  readonly adopt: (compartment: string) => Promise<Adopted>
  readonly stop: (compartment: string) => Promise<void>
  /** Removes the container, but not its data. */
  readonly remove: (compartment: string) => Promise<void>
  readonly destroy: (compartment: string) => Promise<void>
  readonly apply: (compartment: string, archive: Archive) => Promise<Applied>
  readonly say: (compartment: string, line: string) => void
  readonly logs: (compartment: string, query: LogQuery) => Promise<LogPage>
  readonly stats: (compartment: string) => Promise<Stats | null>
  readonly diskMb: (compartment: string) => Promise<number>
  /** `null` if no further program can run in a compartment here. */
  readonly exec: ((compartment: string, order: ExecOrder) => Promise<ExecResult>) | null
  readonly exits: (listener: (compartment: string) => void) => () => void
}
