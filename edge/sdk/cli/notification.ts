/** Commands for notifications. */
import type { Notification } from "../../../schemas/notification/api.ts"
import { numberOf, present, WRITE_USAGE } from "./arguments.ts"
import { usage } from "./fault.ts"
import { calling } from "./operation.ts"
import { oneLine } from "./output.ts"
import { agentName, apart, pageLine, when } from "./show.ts"

type Payload = Notification["payload"]

const textIn = (payload: Payload, ...names: ReadonlyArray<string>): string | undefined =>
  names.map((name) => payload[name]).find((value) => typeof value === "string")

/** The agent that caused the notification, if the payload names one. */
const agentIn = ({ by, from }: Payload): ReadonlyArray<string> => {
  const agent = by ?? from
  if (typeof agent !== "object" || agent === null || !("hx_id" in agent) || !("handle" in agent)) return []
  const { hx_id, handle } = agent
  if (typeof hx_id !== "string" || (handle !== null && typeof handle !== "string")) return []
  return [`by ${agentName({ hx_id, handle })}`]
}

/** The exit status of a compartment's program, for notifications about it. */
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

export const notificationCommands = [
  calling("listMyNotifications", {
    usage: "notifications list [--unread] [--since-id <id>] [--wait <seconds>]",
    summary: "what happened to you, newest first; --wait holds on until there is something",
    fields: (invocation) =>
      present({
        unread: invocation.flag("unread") ? "1" : undefined,
        since_id: invocation.text("since-id"),
        wait_seconds: invocation.text("wait")
      }),
    lines: (data, meta) => [...data.flatMap(notificationLines), pageLine(meta)]
  }),
  calling("readMyNotifications", {
    usage: [`notifications read <id>... ${WRITE_USAGE}`, "notifications read --all"],
    summary: "mark notifications as read",
    fields: (invocation) => {
      const [all, words] = [invocation.flag("all"), invocation.positionals]
      if (all && words.length > 0) throw usage("notifications read takes ids, or --all")
      return all ? {} : { ids: words.map((word) => numberOf(word, "notification")) }
    },
    lines: ({ marked_read }) => [`marked as read: ${marked_read}`]
  })
]
