/**
 * `npm run hub -- <command>`: what operators and engineers do from a shell. Read-only where the name does not say otherwise.
 * What is not in a command's usage is refused before anything is opened: a slip of the hand must not start a rebuild.
 */
import { parseArgs } from "node:util"
import { migrate, migrateStreams } from "../migrations/migrate.ts"
import { agentCommand } from "./agent.ts"
import { appealsCommand } from "./appeals.ts"
import { backupCommand } from "./backup.ts"
import { categoryCommand } from "./category.ts"
import { type Arguments, type Command, Finding, type Options } from "./command.ts"
import { openService } from "./connection.ts"
import { UnknownEvent } from "../../actors/engine/fold.ts"
import { Fault } from "./fault.ts"
import { questionsCommand } from "./questions.ts"
import { rebuildCommand } from "./rebuild.ts"
import { replayCommand } from "./replay.ts"
import { restoreCommand } from "./restore.ts"
import { statusCommand } from "./status.ts"
import { tailCommand } from "./tail.ts"
import { verifyCommand } from "./verify.ts"

const migrateCommand: Command = {
  usage: ["migrate"],
  // Before there is a bus, in a new cluster.
  alone: async () => {
    const { HUB_DATABASE_URL: databaseUrl, HUB_NATS_URL: natsUrl } = process.env
    if (!databaseUrl || !natsUrl) throw new Fault("set HUB_DATABASE_URL and HUB_NATS_URL")
    await Promise.all([migrate(databaseUrl), migrateStreams(process.env)])
    return "Postgres and JetStream are up to date"
  },
  run: () => Promise.reject(new Error("migrate needs nothing but the two servers"))
}

const COMMANDS: Readonly<Record<string, Command>> = {
  agent: agentCommand,
  appeals: appealsCommand,
  category: categoryCommand,
  replay: replayCommand,
  tail: tailCommand,
  status: statusCommand,
  verify: verifyCommand,
  rebuild: rebuildCommand,
  backup: backupCommand,
  restore: restoreCommand,
  migrate: migrateCommand,
  questions: questionsCommand
}

const usageOf = (commands: ReadonlyArray<Command>): string =>
  ["usage:", ...commands.flatMap((command) => command.usage.map((line) => `  npm run hub -- ${line}`))].join("\n")

/** The words of a usage line without its options: `agent show <ref>` has three. */
const wordsOf = (line: string): ReadonlyArray<string> => line.replace(/\[[^[\]]*\]|--[\w-]+(?: <[^<>]*>)*/g, "").trim().split(/\s+/)

const fits = (given: string, word: string): boolean => word.startsWith("<") || word.split("|").includes(given)

/** What a command misses it says itself, better than its usage could. */
const refuseUnknown = (name: string, command: Command, { positionals, values }: Arguments): void => {
  const given = [name, ...positionals]
  const known = command.usage.some((line) => {
    const words = wordsOf(line)
    return given.length <= words.length && given.every((part, index) => fits(part, words[index] ?? ""))
  })
  const foreign = Object.keys(values).some((option) => !command.usage.some((line) => line.includes(`--${option}`)))
  if (!known || foreign) throw new Fault(usageOf([command]))
}

const text = { type: "string" } as const
const OPTIONS = {
  answer: text, answers: text, at: text, check: { type: "boolean" }, count: text, description: text, diff: { type: "string", multiple: true }, export: text, "from-file": text, gap: text,
  json: { type: "boolean" }, kind: text, name: text, position: text, reason: text, replace: { type: "boolean" }, replicas: text, sample: text, seed: text, since: text, to: text, until: text, "what-if": text
} as const satisfies Record<keyof Options, object>

/** `--diff a b`, which the parser would take for an option and one more word. */
const withPairs = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.flatMap((arg, index) => (args[index - 2] === "--diff" && !arg.startsWith("-") ? ["--diff", arg] : [arg]))

const parse = (args: ReadonlyArray<string>): Arguments => {
  try {
    return parseArgs({ args: [...withPairs(args)], allowPositionals: true, options: OPTIONS }) as Arguments
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
  refuseUnknown(name, command, parsed)
  const alone = command.alone?.(parsed) ?? null
  if (alone !== null) return told(await alone)
  const service = await openService(process.env)
  try {
    return told(await command.run(service, parsed))
  } finally {
    await service.close()
  }
}

/** The exit status. */
const told = (result: unknown): number => {
  const shown = result instanceof Finding ? result.text : result
  if (shown !== undefined) process.stdout.write(`${typeof shown === "string" ? shown : JSON.stringify(shown, null, 2)}\n`)
  return result instanceof Finding ? 1 : 0
}

const MISSING_TABLE = "42P01"

const inWords = (error: unknown): string => {
  if (error instanceof Fault || error instanceof UnknownEvent) return error.message
  if (!(error instanceof Error)) return String(error)
  if ("code" in error && error.code === MISSING_TABLE) return `${error.message}: bring Postgres up to date with npm run hub -- migrate`
  return error.stack ?? error.message
}

try {
  process.exit(await run(process.argv.slice(2)))
} catch (error) {
  process.stderr.write(`${inWords(error)}\n`)
  process.exit(1)
}
