/** The operators' commands, and the parser of their command line. */
import { helpOf, type Program, readCommandLine } from "../../schemas/runtime/command-line.ts"
import { migrate, migrateStreams } from "../migrations/migrate.ts"
import { VERSION } from "../../schemas/version.ts"
import { KINDS } from "../../actors/process/kinds.ts"
import { POINT_FORMS } from "../replay/points.ts"
import { agentCommands } from "./agent.ts"
import { appealsCommand } from "./appeals.ts"
import { atCommand } from "./at.ts"
import { archiveCommand } from "./archive.ts"
import { backupCommand } from "./backup.ts"
import { categoryCommands } from "./category.ts"
import { allServers, type Arguments, type Command, type Servers } from "./command.ts"
import { contentCommands } from "./content.ts"
import { Fault } from "./fault.ts"
import { deliveryCommand } from "./delivery.ts"
import { explainCommand } from "./explain.ts"
import { consoleCommands } from "./console-command.ts"
import { humanCommands } from "./human.ts"
import { libraryCommands } from "./library.ts"
import { mailCommands } from "./mail.ts"
import { compartmentCommands, hostCommands } from "./compartment.ts"
import { vaultCommands } from "./vault.ts"
import { operationsCommand } from "./operations.ts"
import { questionsCommands } from "./questions.ts"
import { reactionsCommands } from "./reactions.ts"
import { rebuildCommand } from "./rebuild.ts"
import { replayCommand } from "./replay.ts"
import { restoreCommand } from "./restore.ts"
import { reportCommands } from "./report.ts"
import { roadmapCommands } from "./roadmap.ts"
import { runtimeCommands } from "./runtime.ts"
import { statusCommand } from "./status.ts"
import { tailCommand } from "./tail.ts"
import { verifyCommand } from "./verify.ts"
import { webhookCommands } from "./webhook.ts"

const migrateCommand: Command = {
  usage: ["migrate"],
  servers: allServers,
  // This command also runs in a new cluster, where the streams of the bus do not exist yet.
  alone: async () => {
    const { HUB_DATABASE_URL: databaseUrl, HUB_NATS_URL: natsUrl } = process.env
    if (!databaseUrl || !natsUrl) throw new Fault("set HUB_DATABASE_URL and HUB_NATS_URL")
    await Promise.all([migrate(databaseUrl), migrateStreams(process.env)])
    return "Postgres and JetStream are up to date"
  }
}

export const COMMANDS: ReadonlyArray<Command> = [
  ...agentCommands,
  ...consoleCommands,
  ...humanCommands,
  appealsCommand,
  ...categoryCommands,
  ...contentCommands,
  ...reportCommands,
  ...roadmapCommands,
  ...libraryCommands,
  ...mailCommands,
  ...vaultCommands,
  ...compartmentCommands,
  ...hostCommands,
  ...runtimeCommands,
  replayCommand,
  deliveryCommand,
  ...webhookCommands,
  operationsCommand,
  explainCommand,
  atCommand,
  tailCommand,
  statusCommand,
  verifyCommand,
  rebuildCommand,
  ...reactionsCommands,
  archiveCommand,
  backupCommand,
  restoreCommand,
  migrateCommand,
  ...questionsCommands
]

/** Explanations of the placeholders in usages, by a part of the usage. */
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

const HUB: Program<Command> = {
  name: "npm run hub --",
  commands: COMMANDS,
  refuse: (reason, lines) =>
    new Fault([reason, ...(lines.length === 0 ? [] : ["usage:"]), ...lines.map((line) => `  ${line}`)].join("\n"))
}

type CommandLine = { readonly help: string } | { readonly command: Command; readonly args: Arguments }

/**
 * Parses the words of a command line into a command or a help text. Throws a Fault with the usage if they are not
 * valid.
 */
export const readLine = (words: ReadonlyArray<string>): CommandLine => {
  const read = readCommandLine(HUB, words)
  if (read.is === "version") return { help: VERSION }
  if (read.is === "command") return { command: read.command, args: read.args as Arguments }
  const isAll = read.commands.length === COMMANDS.length
  const meant = PLACEHOLDERS.filter(
    ([placeholder]) => !isAll && read.commands.some(({ usage }) => usage.some((line) => line.includes(placeholder)))
  )
  return { help: [helpOf(HUB, read.commands), ...meant.map(([, text]) => text)].join("\n") }
}

/**
 * The servers that a command line needs. Help needs none. An invalid line needs none either, because it is refused
 * first.
 */
export const serversFor = (words: ReadonlyArray<string>): Servers => {
  try {
    const line = readLine(words)
    if ("help" in line) return "none"
    return line.command.servers?.(line.args) ?? "needed"
  } catch (error) {
    if (error instanceof Fault) return "none"
    throw error
  }
}
