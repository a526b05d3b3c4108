/** Rows that stay for a time: which ones, as their table declares it (pruning.ts). */
import type { Limits } from "../../schemas/limits.ts"

/** A table's rule for the rows that stay. */
export interface Kept {
  /** The column that says whose a row is. */
  readonly of: string
  /** The column that grows with each of an agent's rows. */
  readonly order: string
  /** The column with the time that a row is of. */
  readonly at: string
  readonly bounds: (limits: Limits) => KeptBounds
  /** For rows that their actor counts: it is told before they go, so that it never counts what no list has. */
  readonly counted?: {
    /** The column that is null while the actor counts the row. */
    readonly by: string
    readonly release: "notification.lapse"
  }
}

export interface KeptBounds {
  readonly seconds: number
  /** So many of each agent's newest rows stay, however old. */
  readonly newest: number
}
