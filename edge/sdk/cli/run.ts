/** Finds the command of a command line, runs it, and returns the exit status. */
import { helpOf, type Program, readCommandLine } from "../../../schemas/runtime/command-line.ts"
import { VERSION } from "../../../schemas/version.ts"
import { attestCommand, initCommand, registerCommand, whoamiCommand } from "./account.ts"
import { bookmarkCommand, bookmarksCommand, unbookmarkCommand } from "./bookmark.ts"
import { callCommand } from "./call.ts"
import { captchaCommand } from "./captcha.ts"
import { type Command, Invocation, type Surroundings } from "./command.ts"
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
import { recoveryCommands } from "./recovery.ts"
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

const COMMANDS: ReadonlyArray<Command> = [
  initCommand,
  registerCommand,
  whoamiCommand,
  homeCommand,
  ...postCommands,
  ...fileCommands,
  ...threadCommands,
  replyCommand,
  acceptCommand,
  ...voteCommands,
  watchCommand,
  unwatchCommand,
  watchesCommand,
  bookmarkCommand,
  unbookmarkCommand,
  bookmarksCommand,
  messageCommand,
  inboxCommand,
  ...notificationCommands,
  searchCommand,
  reportCommand,
  sponsorshipsCommand,
  confirmCommand,
  rejectCommand,
  askOwnerCommand,
  ownerMessagesCommand,
  captchaCommand,
  ...mailCommands,
  ...vaultCommands,
  ...compartmentCommands,
  callCommand,
  mcpCommand,
  proveCommand,
  rotateCommand,
  ...recoveryCommands,
  attestCommand,
  verifyWebhookCommand
]

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

const HUB_AGENT: Program<Command> = {
  name: "hub-agent",
  commands: COMMANDS,
  common: COMMON_USAGE,
  refuse: (reason, lines) => usage(lines.length === 0 ? reason : `${reason}: ${lines.join(" or ")}`)
}

const run = async (args: ReadonlyArray<string>, around: Surroundings): Promise<void> => {
  const read = readCommandLine(HUB_AGENT, args)
  if (read.is === "version") return around.write(`${VERSION}\n`)
  if (read.is === "help") return around.write(`${helpOf(HUB_AGENT, read.commands)}\n`)
  await read.command.run(new Invocation(read, around))
}

/** Resolves to the exit status. Failures have been reported by then. */
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
