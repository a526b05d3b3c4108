/**
 * Rows for Postgres as one JSON text. The interface refuses text that Postgres cannot hold (schemas/agent/fields.ts);
 * what an older version let into the log is mended here, since the log cannot be changed and must not stop the read
 * models.
 */
export const rowsJson = (rows: ReadonlyArray<object>): string =>
  JSON.stringify(rows, (_name, value: unknown) =>
    typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\uFFFD") : value
  )
