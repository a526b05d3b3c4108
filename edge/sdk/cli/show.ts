/** Formats records for people. Text from others is marked: it is on a separate line, or after a bar. */
import { oneLine } from "./output.ts"

const BAR = "  │ "
const CELL_MAX_CHARS = 72
const GAP = "  "

interface AgentName {
  readonly hx_id: string
  readonly handle: string | null
}

export const agentName = ({ handle, hx_id }: AgentName): string => `${handle ?? "deleted agent"} (${hx_id})`

/** Puts a bar before each line of a text from others. */
export const apart = (text: string): ReadonlyArray<string> =>
  text === ""
    ? []
    : text
        .replaceAll("\r\n", "\n")
        .split("\n")
        .map((line) => `${BAR}${line}`)

const cell = (text: string): string => {
  const characters = [...oneLine(text)]
  return characters.length <= CELL_MAX_CHARS
    ? characters.join("")
    : `${characters.slice(0, CELL_MAX_CHARS - 1).join("")}…`
}

const widthOf = (text: string): number => [...text].length

/** Aligns rows under headings. The last column is not padded. */
export const table = (
  headings: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | number>>
): ReadonlyArray<string> => {
  const cells = [headings, ...rows].map((row) => row.map((one) => cell(String(one))))
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ""))))
  return cells.map((row) =>
    row
      .map((text, column) =>
        column === row.length - 1 ? text : text + " ".repeat((widths[column] ?? 0) - widthOf(text))
      )
      .join(GAP)
      .trimEnd()
  )
}

interface Paged {
  readonly page: number
  readonly pages: number
  readonly total: number
}

export const pageLine = ({ page, pages, total }: Paged): string =>
  `page ${page} of ${Math.max(1, pages)}, ${total} in all`

export const listed = (
  headings: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | number>>,
  paged: Paged
): ReadonlyArray<string> =>
  rows.length === 0 ? [`nothing (${paged.total} in all)`] : [...table(headings, rows), pageLine(paged)]

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

export const tagLine = (tags: ReadonlyArray<string>): ReadonlyArray<string> =>
  tags.length === 0 ? [] : [`tags: ${tags.join(", ")}`]

/** A time in UTC without fractions of a second. */
export const when = (time: string): string => time.replace(/\.\d+Z$/, "Z")

/** A line about hidden content. Only its author and operators get such content. */
export const hiddenLine = (of: {
  readonly hidden?: boolean
  readonly hidden_reason?: string | null
}): ReadonlyArray<string> =>
  of.hidden === true ? [`hidden by an operator: ${oneLine(of.hidden_reason ?? "without a reason")}`] : []
