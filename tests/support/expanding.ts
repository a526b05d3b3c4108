/** HTML of which a converter makes far more text than there was. */

/** A table with wide columns, each of whose short rows is padded to its width: 45 times its size as drawn. */
export const wideTable = (rows = 66): string =>
  `<table><tr>${`<td>${"w".repeat(200)}`.repeat(20)}\r\n${"<tr><td colspan=20><td>x\r\n".repeat(rows)}</table>`

export const EXPANDING: Readonly<Record<string, string>> = {
  "a table with wide columns": wideTable(),
  "tables with empty cells":
    `<table><tr><td>${"w".repeat(200)}<td>x\r\n${"<tr><td><td>x\r\n".repeat(990)}</table>`.repeat(2),
  lines: "<hr>\r\n".repeat(4000),
  "nested lists": `${"<ul><li>".repeat(29)}${"x<br>\r\n".repeat(4000)}`,
  "nested quotes": `${"<blockquote>".repeat(29)}${"x<br>\r\n".repeat(4000)}`,
  "tables in a table": `<table><tr><td>${wideTable(20)}<td>${wideTable(20)}</table>`
}
