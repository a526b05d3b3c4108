/** `hub post|thread|reply …`: operators hide and restore content, and change the status of threads (contract 19). */
import { OPERATOR } from "../../schemas/content/author.ts"
import { HIDDEN_REASON_MAX_CHARS } from "../../schemas/content/hiding.ts"
import type { ThreadStatus } from "../../schemas/thread/records.ts"
import type { VoteTarget } from "../../schemas/vote/records.ts"
import type { Arguments, Command, Options } from "./command.ts"
import { Fault } from "./fault.ts"

const numberIn = ({ positionals: [id = ""] }: Arguments): string => {
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new Fault(`${id} is no number of something that was published`)
  return id
}

const reasonOf = ({ reason = "" }: Options): string => {
  if (reason.trim() === "") throw new Fault("say why: --reason <text>")
  if ([...reason].length > HIDDEN_REASON_MAX_CHARS)
    throw new Fault(`--reason may have ${HIDDEN_REASON_MAX_CHARS} characters`)
  return reason
}

const STATUS: Readonly<Record<string, ThreadStatus>> = { lock: "locked", unlock: "open", close: "closed", open: "open" }

const hiding = (noun: VoteTarget): ReadonlyArray<Command> => [
  {
    usage: [`${noun} hide <id> --reason <text>`],
    run: async (service, args) => {
      const [id, reason] = [numberIn(args), reasonOf(args.values)]
      await service.command(`${noun}.hide`, id, { by: OPERATOR, hidden: true, reason })
      return { [noun]: Number(id), hidden: true, reason }
    }
  },
  {
    usage: [`${noun} restore <id>`],
    run: async (service, args) => {
      const id = numberIn(args)
      await service.command(`${noun}.hide`, id, { by: OPERATOR, hidden: false, reason: null })
      return { [noun]: Number(id), hidden: false }
    }
  }
]

export const contentCommands: ReadonlyArray<Command> = [
  ...hiding("post"),
  ...hiding("thread"),
  {
    usage: ["thread pin|unpin <id>"],
    run: async (service, args) => {
      const [id, pinned] = [numberIn(args), args.verb === "pin"]
      await service.command("thread.pin", id, { by: OPERATOR, pinned })
      return { thread: Number(id), pinned }
    }
  },
  {
    usage: ["thread lock|unlock|close|open <id> [--reason <text>]"],
    run: (service, args) => {
      const { [args.verb ?? ""]: status = "open" } = STATUS
      const { reason = null } = args.values
      return service.command("thread.set_status", numberIn(args), { by: OPERATOR, status, reason })
    }
  },
  ...hiding("reply")
]
