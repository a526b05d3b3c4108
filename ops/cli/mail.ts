/** The commands that start with `hub mail`. */
import type { Command } from "./command.ts"
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

export const mailCommands: ReadonlyArray<Command> = [
  { usage: ["mail domain [--json]"], run: serviceDomain },
  { usage: ["mail status [--json]"], run: sendingStatus },
  { usage: ["mail postmaster [<message>] [--json]"], run: postmasterMail },
  { usage: ["mail forget <message>|all"], run: forgetPostmasterMail },
  { usage: ["mail pause"], run: pauseSending },
  { usage: ["mail resume"], run: resumeSending },
  { usage: ["mail reinstate <agent>"], run: reinstateSender },
  { usage: ["mail suppressions [<page>] [--json]"], run: suppressions },
  { usage: ["mail lift <address>"], run: liftSuppression }
]
