/** `hub post|thread|reply …`: what operators hide and show again, and how threads stand (contract 19). */
import { OPERATOR } from "../../schemas/content/author.ts"
import { HIDDEN_REASON_MAX_CHARS } from "../../schemas/content/hiding.ts"
import type { ThreadStatus } from "../../schemas/thread/records.ts"
import type { VoteTarget } from "../../schemas/vote/records.ts"
import type { Command, Options } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"

const reasonOf = ({ reason = "" }: Options): string => {
  if (reason.trim() === "") throw new Fault("say why: --reason <text>")
  if ([...reason].length > HIDDEN_REASON_MAX_CHARS)
    throw new Fault(`--reason may have ${HIDDEN_REASON_MAX_CHARS} characters`)
  return reason
}

const hide = async (service: Service, noun: VoteTarget, id: string, values: Options) => {
  const reason = reasonOf(values)
  await service.command(`${noun}.hide`, id, { by: OPERATOR, hidden: true, reason })
  return { [noun]: Number(id), hidden: true, reason }
}

const restore = async (service: Service, noun: VoteTarget, id: string) => {
  await service.command(`${noun}.hide`, id, { by: OPERATOR, hidden: false, reason: null })
  return { [noun]: Number(id), hidden: false }
}

const pin = async (service: Service, id: string, pinned: boolean) => {
  await service.command("thread.pin", id, { by: OPERATOR, pinned })
  return { thread: Number(id), pinned }
}

const STATUS: Readonly<Record<string, ThreadStatus>> = { lock: "locked", unlock: "open", close: "closed", open: "open" }

const usageOf = (noun: VoteTarget): ReadonlyArray<string> => [
  `${noun} hide <id> --reason <text>`,
  `${noun} restore <id>`,
  ...(noun === "thread" ? ["thread pin|unpin <id>", "thread lock|unlock|close|open <id> [--reason <text>]"] : [])
]

const contentCommand = (noun: VoteTarget): Command => {
  const usage = usageOf(noun)
  return {
    usage,
    run: (service, { positionals: [action = "", id = ""], values }) => {
      if (!/^[1-9]\d{0,14}$/.test(id)) throw new Fault(`usage: hub ${usage.join("\n       hub ")}`)
      if (action === "hide") return hide(service, noun, id, values)
      if (action === "restore") return restore(service, noun, id)
      if (action === "pin" || action === "unpin") return pin(service, id, action === "pin")
      const status = Object.hasOwn(STATUS, action) ? STATUS[action] : undefined
      if (status === undefined) throw new Fault(`usage: hub ${usage.join("\n       hub ")}`)
      return service.command("thread.set_status", id, { by: OPERATOR, status, reason: values.reason ?? null })
    }
  }
}

export const postCommand = contentCommand("post")
export const threadCommand = contentCommand("thread")
export const replyCommand = contentCommand("reply")
