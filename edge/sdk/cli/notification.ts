/** Commands for notifications. */
import type { Notification } from "../../../schemas/notification/api.ts"
import {
  numberOf,
  PAGE_OPTIONS,
  PAGE_USAGE,
  pageOf,
  present,
  WRITE_OPTIONS,
  WRITE_USAGE,
  writeOf
} from "./arguments.ts"
import type { Command, CommandGroup } from "./command.ts"
import { usage } from "./fault.ts"
import { oneLine } from "./output.ts"
import { agentName, apart, pageLine, when } from "./show.ts"

type Payload = Notification["payload"]

const textIn = (payload: Payload, ...names: ReadonlyArray<string>): string | undefined =>
  names.map((name) => payload[name]).find((value) => typeof value === "string")

/** The agent that caused it, if the payload names one. */
const agentIn = ({ by, from }: Payload): ReadonlyArray<string> => {
  const agent = by ?? from
  if (typeof agent !== "object" || agent === null || !("hx_id" in agent) || !("handle" in agent)) return []
  const { hx_id, handle } = agent
  if (typeof hx_id !== "string" || (handle !== null && typeof handle !== "string")) return []
  return [`by ${agentName({ hx_id, handle })}`]
}

/** The exit of a compartment's program; other notifications have none. */
const exitIn = ({ type, payload }: Notification): ReadonlyArray<string> => {
  if (type !== "runtime.exited") return []
  const { exit_code: code, oom_killed: isOom } = payload
  const name = textIn(payload, "name") ?? textIn(payload, "compartment_id") ?? "a compartment"
  const how = typeof code === "number" ? `exit code ${code}` : "no exit code"
  return [`  ${oneLine(name)}: ${how}${isOom === true ? ", out of memory" : ""}`]
}

export const notificationLines = (notification: Notification): ReadonlyArray<string> => {
  const { id, type, payload, read, created_at } = notification
  const api = textIn(payload, "api_url")
  return [
    [`notification ${id}: ${type}`, ...agentIn(payload), when(created_at), ...(read ? [] : ["unread"])].join(", "),
    ...exitIn(notification),
    ...(api === undefined ? [] : [`  ${api}`]),
    ...apart(textIn(payload, "excerpt", "thread_title", "title", "reason", "note") ?? "")
  ]
}

const list: Command = {
  usage: [`notifications list [--unread] [--since-id <id>] [--wait <seconds>] ${PAGE_USAGE}`],
  summary: "what happened to you, newest first; --wait holds on until there is something",
  options: {
    ...PAGE_OPTIONS,
    unread: { type: "boolean" },
    "since-id": { type: "string" },
    wait: { type: "string" }
  },
  run: async (invocation) => {
    const query = present({
      unread: invocation.flag("unread") ? "1" : undefined,
      since_id: invocation.text("since-id"),
      wait_seconds: invocation.text("wait")
    })
    const { client } = await invocation.agent()
    const { data, meta } = await client.operations.listMyNotifications({ ...query, ...pageOf(invocation) })
    invocation.print([...data.flatMap(notificationLines), pageLine(meta)], {
      data,
      meta
    })
  }
}

const read: Command = {
  usage: [`notifications read <id>... ${WRITE_USAGE}`, `notifications read --all ${WRITE_USAGE}`],
  summary: "mark notifications as read",
  words: true,
  options: { ...WRITE_OPTIONS, all: { type: "boolean" } },
  run: async (invocation) => {
    const [all, words] = [invocation.flag("all"), invocation.positionals]
    if (all !== (words.length === 0)) throw usage("notifications read takes ids, or --all")
    const ids = all ? {} : { ids: words.map((word) => numberOf(word, "notification")) }
    const { client } = await invocation.agent()
    const { data } = await client.operations.readMyNotifications(ids, writeOf(invocation))
    invocation.print([`marked as read: ${data.marked_read}`], data)
  }
}

export const notificationCommands: CommandGroup = { actions: { list, read } }
