/** The interface of one aspect's rows in the agents' read model. */
import type { Transaction } from "kysely"
import type { Database } from "../tables/database.ts"
import type { AgentEvent } from "./state.ts"

/** Turns a batch of events into rows, in the order of the log, and writes them. */
export interface Rows {
  /** Adds an event. `at`: its time in ISO format. `seq`: the sequence of its commit. */
  take(agent: string, event: AgentEvent, at: string, seq: number): void
  /** The collected rows, grouped by the statement that writes them. If all groups are empty, `write` is not called. */
  readonly rows: Readonly<Record<string, ReadonlyArray<unknown>>>
  /** Called after the rows of `agents` were written. */
  write(trx: Transaction<Database>): Promise<void>
}
