/**
 * Rows for Postgres, as JSON texts. The interface refuses text that Postgres cannot hold (schemas/agent/fields.ts).
 * Text from an older version is mended here, since the log cannot be changed and must not stop the read models.
 */
const storable = (_name: string, value: unknown): unknown =>
  typeof value === "string" ? value.toWellFormed().replaceAll("\0", "\uFFFD") : value

/** More than any commit has of one actor. */
const EVENTS_OF_COMMIT = 16

/** The number of a journal's line: each event of a commit has one behind the commit's own. */
export const lineNumber = (seq: number, index: number): number => seq * EVENTS_OF_COMMIT + index

/** All of them as one text: for rows that are short. */
export const rowsJson = (rows: ReadonlyArray<object>): string => JSON.stringify(rows, storable)

/** Postgres takes 256 MB of JSON; a text of 100,000 characters may be 600 KB. */
const PIECE_MAX_CHARS = 8_000_000

/** Rows that may be long, in as many texts as keep each of them within bounds; none for no rows. */
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
