/** `hub console …`: a one-time link in the operator's name, and the list of things that operators opened there. */
import { openedLast, type Opened } from "../console/audit.ts"
import { timeText } from "../replay/report.ts"
import { askLink } from "./ask-link.ts"
import type { Command } from "./command.ts"
import { operatorIn } from "./connection.ts"
import { Fault } from "./fault.ts"

const LINES = 100
const LINES_MAX = 10_000

const lineOf = ({ at, who, by, what, of, why }: Opened): string =>
  `${timeText(at)}  ${who}${by === "link" ? " (one-time link)" : ""}  ${what}  ${of}${why === undefined ? "" : `  why: ${why}`}`

export const consoleCommands: ReadonlyArray<Command> = [
  { usage: ["console link"], run: ({ nats }) => askLink(nats, operatorIn(process.env)) },
  {
    usage: ["console audit [--last <number>] [--json]"],
    run: async (service, { values: { last, json } }) => {
      const count = last === undefined ? LINES : Number(last)
      if (!(Number.isInteger(count) && count >= 1 && count <= LINES_MAX))
        throw new Fault(`--last takes a whole number from 1 to ${LINES_MAX}`)
      const opened = await openedLast(service, count)
      if (json === true) return opened
      return opened.length === 0
        ? "nothing private was opened, and nothing done that leaves no commit"
        : opened.map(lineOf).join("\n")
    }
  }
]
