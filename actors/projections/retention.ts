/** Rows that stay for a limited time, as their table declares it (pruning.ts). */
import type { Limits } from "../../schemas/limits.ts"

export interface Retention {
  /** The column with the agent that a row belongs to. */
  readonly of: string
  /** The column that grows with each of an agent's rows. */
  readonly order: string
  readonly at: string
  readonly bounds: (limits: Limits) => RetentionBounds
  /**
   * For rows that their actor counts. The actor is informed before they are removed, so that it never counts a row that
   * is in no list.
   */
  readonly counted?: {
    /** The column that is null while the actor counts the row. */
    readonly by: string
    readonly release: "notification.lapse"
  }
}

export interface RetentionBounds {
  readonly seconds: number
  /** This many of each agent's newest rows stay, however old they are. */
  readonly newest: number
}
