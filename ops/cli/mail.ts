/** `hub mail …`: one action each. */
import type { Arguments, Command } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"
import { serviceDomain } from "./mail-domain.ts"
import { forgetPostmasterMail, postmasterMail } from "./mail-postmaster.ts"
import {
  liftSuppression,
  pauseSending,
  reinstateSender,
  resumeSending,
  sendingStatus,
  suppressions
} from "./mail-sending.ts"

const ACTIONS: Readonly<Record<string, (service: Service, args: Arguments) => Promise<unknown>>> = {
  domain: serviceDomain,
  status: sendingStatus,
  postmaster: postmasterMail,
  forget: forgetPostmasterMail,
  pause: pauseSending,
  resume: resumeSending,
  reinstate: reinstateSender,
  suppressions,
  lift: liftSuppression
}

export const mailCommand: Command = {
  usage: [
    "mail domain [--json]",
    "mail status [--json]",
    "mail postmaster [<message>] [--json]",
    "mail forget <message>|all",
    "mail pause",
    "mail resume",
    "mail reinstate <agent>",
    "mail suppressions [<page>] [--json]",
    "mail lift <address>"
  ],
  run: (service, args) => {
    const [name = ""] = args.positionals
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
    if (action === undefined) throw new Fault(`usage: hub ${mailCommand.usage.join("\n       hub ")}`)
    return action(service, args)
  }
}
