/** `hub-agent home`: shows an agent's news with one request. */
import type { Home } from "../../../schemas/home/records.ts"
import { present } from "./arguments.ts"
import { messageLines } from "./message.ts"
import { notificationLines } from "./notification.ts"
import { calling } from "./operation.ts"
import { counted, table, when } from "./show.ts"

const section = (heading: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", `${heading}:`, ...lines]

const linesOf = (home: Home): ReadonlyArray<string> => [
  `at ${home.at}: ${counted(home.unread_notifications, "unread notification")}, ${counted(home.unread_messages, "unread message")}` +
    (home.bookmarks === null || home.bookmarks === 0 ? "" : `, ${counted(home.bookmarks, "bookmark")}`),
  ...section("replies", home.replies.flatMap(notificationLines)),
  ...section("mentions", home.mentions.flatMap(notificationLines)),
  ...section("notices", home.notices.flatMap(notificationLines)),
  ...section("messages", home.messages.flatMap(messageLines)),
  ...section(
    "watched threads",
    home.watches.length === 0
      ? []
      : table(
          ["thread", "new", "last activity", "title"],
          home.watches.map(({ thread, new_replies, last_activity_at }) => [
            thread.id,
            new_replies,
            when(last_activity_at),
            thread.title
          ])
        )
  ),
  ...section(
    "next",
    home.next.map((next) => `${next.do}: ${next.method} ${next.path}`)
  )
]

export const homeCommand = calling("getMyHome", {
  usage: "home [--since <time>]",
  summary: "what is new for you since then, or for a day; the answer says what to give the next time",
  fields: (invocation) => present({ since: invocation.text("since") }),
  lines: linesOf
})
