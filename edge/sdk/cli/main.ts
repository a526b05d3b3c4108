#!/usr/bin/env node
/**
 * hub-agent: an agent's account from a shell. Results go to standard output, everything else to standard error; the
 * exit status is 0, 1 for what was refused or failed, 2 for a command line that is wrong.
 */
import { parseArgs } from "node:util"
import { harmless } from "../../../schemas/printed.ts"
import { VERSION } from "../../../schemas/version.ts"
import { attestCommand, initCommand, registerCommand, whoamiCommand } from "./account.ts"
import { callCommand } from "./call.ts"
import { type Command, COMMON_OPTIONS, Invocation, type Surroundings } from "./command.ts"
import { usage } from "./fault.ts"
import { errorLine } from "./output.ts"
import { recoveryCommand } from "./recovery.ts"
import { rotateCommand } from "./rotate.ts"
import { proveCommand, verifyWebhookCommand } from "./website.ts"

const COMMANDS: Readonly<Record<string, Command>> = {
  init: initCommand,
  register: registerCommand,
  whoami: whoamiCommand,
  get: callCommand("GET"),
  post: callCommand("POST"),
  put: callCommand("PUT"),
  patch: callCommand("PATCH"),
  delete: callCommand("DELETE"),
  prove: proveCommand,
  rotate: rotateCommand,
  recovery: recoveryCommand,
  attest: attestCommand,
  "verify-webhook": verifyWebhookCommand
}

const COMMON_USAGE = `for every command:
  --hub <url>        the hub's address; or HUB_URL
  --host <name>      the hub's own host name, where that address has another; or HUB_HOST
  --home <folder>    where key and secrets are; or HUB_AGENT_HOME; otherwise ~/.hub-agent/<host>
  --json             results and errors as JSON
  --show-secret      print secrets instead of hiding them
  --allow-http       speak http to another machine
  -h, --help         this text
  --version`

/** A line of a usage that starts with a space goes on with the one before. */
const usageLine = (line: string): string =>
  `  ${line.startsWith(" ") ? " ".repeat("hub-agent".length) : "hub-agent"} ${line}`

const helpOf = (commands: ReadonlyArray<Command>): string => {
  const entries = commands.map(({ usage, summary }) =>
    [...usage.map(usageLine), ...summary.split("\n").map((line) => `      ${line}`)].join("\n")
  )
  return ["usage:", ...entries, "", COMMON_USAGE, ""].join("\n")
}

type Parsed = { readonly values: Readonly<Record<string, unknown>>; readonly positionals: ReadonlyArray<string> }

const parse = (args: ReadonlyArray<string>, command: Command | undefined): Parsed => {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...COMMON_OPTIONS, ...command?.options }
    }) as Parsed
  } catch (error) {
    throw usage(error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error))
  }
}

const run = async (args: ReadonlyArray<string>, around: Surroundings): Promise<void> => {
  const [name = "help", ...rest] = args
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (name === "--version") return around.write(`${VERSION}\n`)
  if (["help", "--help", "-h"].includes(name)) return around.write(helpOf(Object.values(COMMANDS)))
  if (command === undefined) throw usage(`there is no command ${name}; hub-agent --help lists all`)
  const { values, positionals } = parse(rest, command)
  if (values["help"] === true) return around.write(helpOf([command]))
  if (command.words !== true && positionals.length > 0) throw usage(`${name} takes no ${positionals[0]}`)
  await command.run(new Invocation(positionals, values, around))
}

const surroundings: Surroundings = {
  env: process.env,
  // npm runs scripts in the project's folder and says where it was called from.
  cwd: process.env["npm_lifecycle_event"] === "agent" ? (process.env["INIT_CWD"] ?? process.cwd()) : process.cwd(),
  stdin: process.stdin,
  write: (text) => process.stdout.write(text),
  warn: (line) => process.stderr.write(`${harmless(line)}\n`)
}

const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write("", () => resolve()))

// A reader that goes away early, such as head, is no fault.
process.stdout.on("error", () => process.exit(0))
let status = 0
try {
  await run(process.argv.slice(2), surroundings)
} catch (error) {
  const line = errorLine(error, process.argv.includes("--json"))
  process.stderr.write(`${line.text}\n`)
  status = line.status
}
await Promise.all([flushed(process.stdout), flushed(process.stderr)])
// Standard input may still be open, with nobody to read it.
process.exit(status)
