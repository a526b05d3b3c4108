/** Prints a compartment's output. With `-f` it prints further output as it arrives. */
import type { LogLine, LogStream } from "../../../schemas/compartment/records.ts"
import { harmless } from "../../../schemas/printed.ts"
import { type Choices, chosen, numberOf, present } from "./arguments.ts"
import type { Command, Invocation } from "./command.ts"

const STREAMS: Choices<LogStream> = { stdout: true, stderr: true, system: true }
const HELD_SECONDS = 25
const HELD_TIMEOUT_MS = (HELD_SECONDS + 20) * 1000
const PAGE_LINES = 1000

const textOf = ({ stream, line }: LogLine): string => (stream === "system" ? `-- ${line}` : line)

export const logsCommand: Command = {
  usage: ["compartment logs <id> [-f] [-n <lines>] [--stream stdout|stderr|system] [--q <text>]"],
  unshown: ["compartment logs <id> [-f, --follow] [-n, --lines <lines>]"],
  summary: "what it wrote, the newest lines; -f goes on until it is interrupted",
  run: async (invocation) => {
    const [id] = invocation.words("id")
    const [stream, lines] = [invocation.text("stream"), invocation.text("lines")]
    const filter = {
      ...present({ q: invocation.text("q") }),
      ...(stream === undefined ? {} : { stream: chosen("stream", stream, STREAMS) })
    }
    const limit = lines === undefined ? {} : { limit: numberOf(lines, "count of lines") }
    const { client } = await invocation.agent()
    const { data } = await client.operations.listCompartmentLogs({ id, ...filter, ...limit })
    if (!invocation.flag("follow")) return invocation.print(data.map(textOf), data)
    let last = printLines(invocation, data) ?? 0
    for (;;) {
      const wanted = { id, ...filter, since_id: last, limit: PAGE_LINES, wait_seconds: HELD_SECONDS }
      const next = await client.operations.listCompartmentLogs(wanted, { timeoutMs: HELD_TIMEOUT_MS })
      last = printLines(invocation, next.data) ?? last
    }
  }
}

const printLines = (invocation: Invocation, lines: ReadonlyArray<LogLine>): number | undefined => {
  for (const line of lines)
    invocation.around.write(`${invocation.flag("json") ? invocation.json(line) : harmless(textOf(line))}\n`)
  return lines.at(-1)?.id
}
