/** The codes by which Postgres names its errors (SQLSTATE). */

/** The code of the error, which for one from Postgres is its SQLSTATE; empty if it has none. */
export const sqlStateOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : ""

/** A statement took longer than its `statement_timeout`. */
export const STATEMENT_CANCELLED = "57014"
/** A lock was not free within `lock_timeout`. */
export const LOCK_NOT_AVAILABLE = "55P03"
/** Postgres ended one of the transactions that wait for each other. */
export const DEADLOCK = "40P01"
