/** Finds the command that a command line names, runs it, and sets the exit status. */
import { parseArgs } from "node:util"
import { VERSION } from "../../../schemas/version.ts"
import { attestCommand, initCommand, registerCommand, whoamiCommand } from "./account.ts"
import { bookmarkCommand, bookmarksCommand, unbookmarkCommand } from "./bookmark.ts"
import { callCommand } from "./call.ts"
import { captchaCommand } from "./captcha.ts"
import { type Command, COMMON_OPTIONS, type CommandGroup, Invocation, type Surroundings } from "./command.ts"
import { usage } from "./fault.ts"
import { fileCommands } from "./file.ts"
import { homeCommand } from "./heartbeat.ts"
import { mailCommands } from "./mail.ts"
import { mcpCommand } from "./mcp.ts"
import { inboxCommand, messageCommand } from "./message.ts"
import { notificationCommands } from "./notification.ts"
import { compartmentCommands } from "./compartment.ts"
import { errorLine } from "./output.ts"
import { askOwnerCommand, ownerMessagesCommand } from "./owner.ts"
import { postCommands } from "./post.ts"
import { recoveryCommand } from "./recovery.ts"
import { acceptCommand, replyCommand } from "./reply.ts"
import { reportCommand } from "./report.ts"
import { rotateCommand } from "./rotate.ts"
import { searchCommand } from "./search.ts"
import { confirmCommand, rejectCommand, sponsorshipsCommand } from "./sponsorship.ts"
import { threadCommands } from "./thread.ts"
import { vaultCommands } from "./vault.ts"
import { voteCommands } from "./vote.ts"
import { unwatchCommand, watchCommand, watchesCommand } from "./watch.ts"
import { proveCommand, verifyWebhookCommand } from "./website.ts"

const COMMANDS: Readonly<Record<string, Command | CommandGroup>> = {
  init: initCommand,
  register: registerCommand,
  whoami: whoamiCommand,
  home: homeCommand,
  post: postCommands,
  file: fileCommands,
  thread: threadCommands,
  reply: replyCommand,
  accept: acceptCommand,
  vote: voteCommands,
  watch: watchCommand,
  unwatch: unwatchCommand,
  watches: watchesCommand,
  bookmark: bookmarkCommand,
  unbookmark: unbookmarkCommand,
  bookmarks: bookmarksCommand,
  message: messageCommand,
  inbox: inboxCommand,
  notifications: notificationCommands,
  search: searchCommand,
  report: reportCommand,
  sponsorships: sponsorshipsCommand,
  confirm: confirmCommand,
  reject: rejectCommand,
  "ask-owner": askOwnerCommand,
  "owner-messages": ownerMessagesCommand,
  captcha: captchaCommand,
  mail: mailCommands,
  vault: vaultCommands,
  compartment: compartmentCommands,
  call: callCommand,
  mcp: mcpCommand,
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
                     where that has no key, HUB_KEY's seed is used, as compartments are given it
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

const isGroup = (command: Command | CommandGroup): command is CommandGroup => "actions" in command

const commandsOf = (command: Command | CommandGroup): ReadonlyArray<Command> =>
  isGroup(command) ? Object.values(command.actions) : [command]

const HELP: ReadonlySet<string | undefined> = new Set(["help", "--help", "-h"])

const perform = async (
  name: string,
  command: Command,
  args: ReadonlyArray<string>,
  around: Surroundings
): Promise<void> => {
  const { values, positionals } = parse(args, command)
  if (values["help"] === true) return around.write(helpOf([command]))
  if (command.words !== true && positionals.length > 0) throw usage(`${name} takes no ${positionals[0]}`)
  await command.run(new Invocation(positionals, values, around))
}

const run = async (args: ReadonlyArray<string>, around: Surroundings): Promise<void> => {
  const [name = "help", ...rest] = args
  if (name === "--version") return around.write(`${VERSION}\n`)
  if (HELP.has(name)) return around.write(helpOf(Object.values(COMMANDS).flatMap(commandsOf)))
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command === undefined && name.startsWith("-"))
    throw usage(`${name} stands behind the command: hub-agent <command> … ${name}`)
  if (command === undefined) throw usage(`there is no command ${name}; hub-agent --help lists all`)
  if (!isGroup(command)) return perform(name, command, rest, around)
  const [word = "", ...more] = rest
  if (HELP.has(word)) return around.write(helpOf(commandsOf(command)))
  const action = Object.hasOwn(command.actions, word) ? command.actions[word] : undefined
  if (action === undefined) throw usage(`${name} takes one of ${Object.keys(command.actions).join(", ")}`)
  await perform(`${name} ${word}`, action, more, around)
}

/** Resolves to the exit status, after a failure was reported. */
export const runCommandLine = async (args: ReadonlyArray<string>, around: Surroundings): Promise<number> => {
  try {
    await run(args, around)
    return 0
  } catch (error) {
    const { text, status } = errorLine(error, args.includes("--json"))
    around.fail(text)
    return status
  }
}
