/** `npm run hub -- <command>`: what operators and engineers do from a shell. Read-only where the name does not say otherwise. */
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

const usage = (): string => ["usage:", ...Object.values(COMMANDS).flatMap((command) => command.usage.map((line) => `  npm run hub -- ${line}`))].join("\n")

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
    process.stdout.write(`${usage()}\n`)
    return name === "help" || name === "--help" ? 0 : 1
  }
  const parsed = parse(rest)
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
