/** The rows of one aspect in the agents' read model. */
import type { Transaction } from "kysely"
import type { Database } from "../tables/database.ts"
import type { AgentEvent } from "./state.ts"

/** Folds a batch of events into rows, in the order of the log, and writes these. */
export interface Rows {
  /** `at`: ISO. `seq`: of the commit. */
  take(agent: string, event: AgentEvent, at: string, seq: number): void
  /** By what is done with them. Nothing is written if all are empty. */
  readonly rows: Readonly<Record<string, ReadonlyArray<unknown>>>
  /** Called after the rows of the agents themselves were written. */
  write(trx: Transaction<Database>): Promise<void>
}
