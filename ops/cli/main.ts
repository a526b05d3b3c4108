/**
 * `npm run hub -- <command>`: what operators and engineers do from a shell. Read-only where the name does not say otherwise.
 * What is not in a command's usage is refused before anything is opened: a slip of the hand must not start a rebuild.
 */
import { parseArgs } from "node:util"
import { migrate } from "../migrations/migrate.ts"
import { agentCommand } from "./agent.ts"
import { categoryCommand } from "./category.ts"
import type { Arguments, Command } from "./command.ts"
import { openService } from "./connection.ts"
import { Fault } from "./fault.ts"
import { rebuildCommand } from "./rebuild.ts"
import { replayCommand } from "./replay.ts"
import { statusCommand } from "./status.ts"

const migrateCommand: Command = {
  usage: ["migrate"],
  run: async () => {
    await migrate(process.env["HUB_DATABASE_URL"] ?? "")
    return "Postgres is up to date"
  }
}

const COMMANDS: Readonly<Record<string, Command>> = {
  agent: agentCommand,
  category: categoryCommand,
  replay: replayCommand,
  status: statusCommand,
  rebuild: rebuildCommand,
  migrate: migrateCommand
}

const usageOf = (commands: ReadonlyArray<Command>): string =>
  ["usage:", ...commands.flatMap((command) => command.usage.map((line) => `  npm run hub -- ${line}`))].join("\n")

/** The words of a usage line without its options: `agent show <ref>` has three. */
const wordsOf = (line: string): ReadonlyArray<string> => line.replace(/\[[^\]]*\]|--\w+ <[^>]*>/g, "").trim().split(/\s+/)

const fits = (given: string, word: string): boolean => word.startsWith("<") || word.split("|").includes(given)

/** What a command misses it says itself, better than its usage could. */
const refuseUnknown = (name: string, command: Command, positionals: ReadonlyArray<string>): void => {
  const given = [name, ...positionals]
  const known = command.usage.some((line) => {
    const words = wordsOf(line)
    return given.length <= words.length && given.every((part, index) => fits(part, words[index] ?? ""))
  })
  if (!known) throw new Fault(usageOf([command]))
}

const parse = (args: ReadonlyArray<string>): Arguments => {
  try {
    const text = { type: "string" } as const
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { reason: text, to: text, json: { type: "boolean" }, name: text, description: text, position: text }
    }) as Arguments
  } catch (error) {
    throw new Fault(error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error))
  }
}

const run = async (args: ReadonlyArray<string>): Promise<number> => {
  const [name = "help", ...rest] = args
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) {
    process.stdout.write(`${usageOf(Object.values(COMMANDS))}\n`)
    return name === "help" || name === "--help" ? 0 : 1
  }
  const parsed = parse(rest)
  refuseUnknown(name, command, parsed.positionals)
  const service = await openService(process.env)
  try {
    const result = await command.run(service, parsed)
    if (result !== undefined) process.stdout.write(`${typeof result === "string" ? result : JSON.stringify(result, null, 2)}\n`)
    return 0
  } finally {
    await service.close()
  }
}

try {
  process.exit(await run(process.argv.slice(2)))
} catch (error) {
  process.stderr.write(`${error instanceof Fault ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
}
