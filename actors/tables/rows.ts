/**
 * Rows for Postgres, as JSON texts. The interface refuses text that Postgres cannot store (schemas/agent/fields.ts).
 * Text from an older version is repaired here, because the log cannot be changed and must not stop the read models.
 */
const storable = (_name: string, value: unknown): unknown =>
  typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\uFFFD") : value

/** More events than any commit has for one actor. */
const EVENTS_OF_COMMIT = 16

/**
 * The number of a journal's line. The number follows from the commit's sequence and the event's place in the commit.
 */
export const lineNumber = (seq: number, index: number): number => seq * EVENTS_OF_COMMIT + index

/** All rows as one text, for short rows. */
export const rowsJson = (rows: ReadonlyArray<object>): string => JSON.stringify(rows, storable)

/** Postgres accepts 256 MB of JSON, and a text of 100,000 characters may need 600 KB. */
const PIECE_MAX_CHARS = 8_000_000

/** Rows that may be long, split into texts of bounded size. No rows give no text. */
export async function* rowsJsonPieces(rows: Iterable<object> | AsyncIterable<object>): AsyncGenerator<string> {
  let piece: Array<string> = []
  let chars = 0
  const end = (): string => {
    const whole = `[${piece.join(",")}]`
    piece = []
    chars = 0
    return whole
  }
  for await (const row of rows) {
    const text = JSON.stringify(row, storable)
    if (piece.length > 0 && chars + text.length > PIECE_MAX_CHARS) yield end()
    piece.push(text)
    chars += text.length + 1
  }
  if (piece.length > 0) yield end()
}
