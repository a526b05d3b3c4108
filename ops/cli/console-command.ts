/** `hub console link`: a one-time link into the console, in the name of who asks. */
import { askLink } from "./ask-link.ts"
import type { Command } from "./command.ts"
import { operatorIn } from "./connection.ts"
import { Fault } from "./fault.ts"

export const consoleCommand: Command = {
  usage: ["console link"],
  run: async (service, { positionals: [action = ""] }) => {
    if (action !== "link") throw new Fault(`usage: hub ${consoleCommand.usage[0]}`)
    return askLink(service.nats, operatorIn(process.env))
  }
}
