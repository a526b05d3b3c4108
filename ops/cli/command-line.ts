/**
 * Reads an operator's command line against the usage of the commands. Words outside a command's usage are refused
 * before anything is opened: a slip of the hand must not start a rebuild.
 */
import { parseArgs } from "node:util"
import { migrate, migrateStreams } from "../migrations/migrate.ts"
import { KINDS } from "../../actors/process/kinds.ts"
import { POINT_FORMS } from "../replay/points.ts"
import { agentCommand } from "./agent.ts"
import { appealsCommand } from "./appeals.ts"
import { atCommand } from "./at.ts"
import { archiveCommand } from "./archive.ts"
import { backupCommand } from "./backup.ts"
import { categoryCommand } from "./category.ts"
import type { Arguments, Command, Options } from "./command.ts"
import { postCommand, replyCommand, threadCommand } from "./content.ts"
import { Fault } from "./fault.ts"
import { deliveryCommand } from "./delivery.ts"
import { explainCommand } from "./explain.ts"
import { consoleCommand } from "./console-command.ts"
import { humanCommand } from "./human.ts"
import { libraryCommand } from "./library.ts"
import { mailCommand } from "./mail.ts"
import { compartmentCommand, hostCommand } from "./compartment.ts"
import { vaultCommand } from "./vault.ts"
import { operationsCommand } from "./operations.ts"
import { questionsCommand } from "./questions.ts"
import { reactionsCommand } from "./reactions.ts"
import { rebuildCommand } from "./rebuild.ts"
import { replayCommand } from "./replay.ts"
import { restoreCommand } from "./restore.ts"
import { reportCommand } from "./report.ts"
import { roadmapCommand } from "./roadmap.ts"
import { runtimeCommand } from "./runtime.ts"
import { statusCommand } from "./status.ts"
import { tailCommand } from "./tail.ts"
import { verifyCommand } from "./verify.ts"
import { webhookCommand } from "./webhook.ts"

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
  console: consoleCommand,
  human: humanCommand,
  appeals: appealsCommand,
  category: categoryCommand,
  post: postCommand,
  thread: threadCommand,
  reply: replyCommand,
  report: reportCommand,
  roadmap: roadmapCommand,
  library: libraryCommand,
  mail: mailCommand,
  vault: vaultCommand,
  compartment: compartmentCommand,
  host: hostCommand,
  runtime: runtimeCommand,
  replay: replayCommand,
  delivery: deliveryCommand,
  webhook: webhookCommand,
  operations: operationsCommand,
  explain: explainCommand,
  at: atCommand,
  tail: tailCommand,
  status: statusCommand,
  verify: verifyCommand,
  rebuild: rebuildCommand,
  reactions: reactionsCommand,
  archive: archiveCommand,
  backup: backupCommand,
  restore: restoreCommand,
  migrate: migrateCommand,
  questions: questionsCommand
}

const usageOf = (commands: ReadonlyArray<Command>): string =>
  ["usage:", ...commands.flatMap((command) => command.usage.map((line) => `  npm run hub -- ${line}`))].join("\n")

/** The words of a usage line without its options: `agent show <ref>` has three. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  line
    // A word that may be left out is one that may be given.
    .replace(/\[(<[^<>]*>)\]/g, "$1")
    .replace(/\[[^[\]]*\]|--[\w-]+(?: <[^<>]*>)*/g, "")
    .trim()
    .split(/\s+/)

const fits = (given: string, word: string): boolean => word.startsWith("<") || word.split("|").includes(given)

/** Missing arguments are left to the command, whose message is better than its usage. */
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
  against: text,
  all: { type: "boolean" },
  "all-of-target": { type: "boolean" },
  answer: text,
  answers: text,
  at: text,
  check: { type: "boolean" },
  cards: { type: "boolean" },
  count: text,
  days: text,
  description: text,
  diff: { type: "string", multiple: true },
  "events-only": { type: "boolean" },
  export: text,
  "from-file": text,
  gap: text,
  json: { type: "boolean" },
  kind: text,
  last: text,
  log: text,
  mermaid: { type: "boolean" },
  traces: { type: "string" },
  name: text,
  note: text,
  now: { type: "boolean" },
  outcome: text,
  position: text,
  reason: text,
  rejected: { type: "boolean" },
  replace: { type: "boolean" },
  archive: text,
  replicas: text,
  sample: text,
  scores: { type: "boolean" },
  seed: text,
  since: text,
  solver: text,
  status: text,
  test: text,
  thread: text,
  title: text,
  to: text,
  until: text,
  version: text,
  "what-if": text,
  why: text
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

/** Of all commands. */
export const usage = (): string => usageOf(Object.values(COMMANDS))

const HELP: ReadonlySet<string> = new Set(["--help", "-h"])

/** Explanations of what a usage names, by its placeholder. */
const PLACEHOLDERS: ReadonlyArray<readonly [string, string]> = [
  [
    "<kind",
    `a kind is one of ${KINDS.map(({ fold }) => fold.kind)
      .toSorted()
      .join(", ")}`
  ],
  [
    "ref>",
    "a ref is the id of an actor; an agent goes by handle, number (HX-000001) or hub id, a mailbox by number or address, " +
      "a mail by number or em_12, a mail domain by its name, a key by its base64"
  ],
  [
    "explain <id>",
    "an id is the X-Request-Id of an answer, a command, #<sequence> of the log, or <kind>/<ref> such as delivery/12"
  ],
  ["<agent>", "an agent goes by handle, number (HX-000001) or hub id"],
  ["<point>", `a point is ${POINT_FORMS}`]
]

const helpOf = (command: Command): string => {
  const usage = usageOf([command])
  const told = PLACEHOLDERS.filter(([placeholder]) => command.usage.some((line) => line.includes(placeholder)))
  return [usage, ...told.map(([, text]) => text)].join("\n")
}

/** The usage of one command, if that was asked; `null` for anything else. */
export const usageAsked = ([name = "", ...rest]: ReadonlyArray<string>): string | null => {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  return command !== undefined && rest.some((word) => HELP.has(word)) ? helpOf(command) : null
}

/** If the word is a part of a command, that command is named. */
export const unknownCommand = (name: string): string => {
  const lines = Object.values(COMMANDS).flatMap((command) => command.usage)
  const meant = lines.find((line) => wordsOf(line).some((word) => fits(name, word) && !word.startsWith("<")))
  return `There is no command ${JSON.stringify(name)}.${meant === undefined ? "" : ` Did you mean ${wordsOf(meant)[0]}?  ${meant}`}`
}

export interface CommandLine {
  readonly command: Command
  readonly args: Arguments
}

/** `null` for a name that is no command's. Throws a Fault with the command's usage for whatever is not in it. */
export const readCommandLine = ([name = "", ...rest]: ReadonlyArray<string>): CommandLine | null => {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined) return null
  const args = parse(rest)
  refuseUnknown(name, command, args)
  return { command, args }
}
