/** `npm run hub -- <command>`: commands for operators and engineers. */
import { MisshapenEvent } from "../../actors/engine/events.ts"
import { UnknownEvent } from "../../actors/engine/fold.ts"
import { exitWith } from "../launcher/exit.ts"
import { readLine } from "./command-line.ts"
import { Finding } from "./command.ts"
import { openService } from "./connection.ts"
import { Fault } from "./fault.ts"
import { remark, say } from "./output.ts"

const run = async (words: ReadonlyArray<string>): Promise<number> => {
  const line = readLine(words)
  if ("help" in line) return printResult(line.help)
  const { command, args } = line
  const alone = command.alone?.(args) ?? null
  if (alone !== null) return printResult(await alone)
  const service = await openService(process.env)
  try {
    return printResult(await command.run?.(service, args))
  } finally {
    await service.close()
  }
}

/** Prints a command's result. Returns the exit status. */
const printResult = (result: unknown): number => {
  const shown = result instanceof Finding ? result.text : result
  if (shown !== undefined) say(`${typeof shown === "string" ? shown : JSON.stringify(shown, null, 2)}\n`)
  return result instanceof Finding ? result.status : 0
}

const MISSING_TABLE = "42P01"

const inWords = (error: unknown): string => {
  if (error instanceof Fault || error instanceof UnknownEvent || error instanceof MisshapenEvent) return error.message
  if (!(error instanceof Error)) return String(error)
  if ("code" in error && error.code === MISSING_TABLE)
    return `${error.message}: bring Postgres up to date with npm run hub -- migrate`
  return error.stack ?? error.message
}

// A reader that closes the pipe early, such as head, is not an error.
process.stdout.on("error", () => undefined)
const status = await run(process.argv.slice(2)).catch((error: unknown) => {
  remark(`${inWords(error)}\n`)
  return 1
})
await exitWith(status)
