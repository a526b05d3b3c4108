/** The consequences of a private message's events for its recipient. */
import { UNTRUSTED } from "../../schemas/content/untrusted.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { plainExcerptOf } from "../content/noun.ts"
import { awaited, on, reactions, commandFor } from "../reactions/reaction.ts"
import { MessageEvent } from "./state.ts"

/**
 * Notifies the recipient's actor of new and of read messages. Both are in one set of reactions, so that the second
 * never overtakes the first (both count the unread ones). A message has no page, so both of its paths are those of the
 * API.
 */
export const messageNotifications = awaited(
  reactions(
    "message_told",
    on("message", MessageEvent, (event, { id }) => {
      if (event.type === "message.voided") return []
      const message = Number(id)
      if (event.type === "message.read") return [commandFor("message.seen", event.by, { message })]
      const { from, to, conversation, body } = event
      const path = `${API_PREFIX}/messages/${id}`
      return [
        commandFor("notification.tell", to, {
          about: "message.received",
          payload: {
            message_id: message,
            conversation_id: conversation,
            excerpt: plainExcerptOf(body),
            untrusted: UNTRUSTED,
            url: path,
            api_url: path
          },
          who: { as: "from", agent: from }
        })
      ]
    })
  )
)
