/** The consequences of a thread's events for its author, for authors of accepted replies, and for mentioned agents. */
import { OPERATOR } from "../../schemas/content/author.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { mentionNotifications, countedOf, ratedBy } from "../content/noun.ts"
import { awaited, on, reactions, commandFor, type ReactionCommand } from "../reactions/reaction.ts"
import { type Accepted, isCounted, ThreadEvent } from "./state.ts"

const countOne = (author: string, by: 1 | -1) => commandFor("content.count", author, { of: "accepted_answers", by })

/**
 * Reputation is only for acceptances that earn it (contract 12). The count includes all acceptances by other agents
 * (contract 19).
 */
const gifts = (answer: Accepted, accepted: boolean): ReadonlyArray<ReactionCommand> => [
  ...(answer.earns ? [commandFor("reply.rated", answer.author, { reply: answer.reply, accepted })] : []),
  ...(isCounted(answer) ? [countOne(answer.author, accepted ? 1 : -1)] : [])
]

export const ratedThreads = awaited(
  reactions(
    "thread_rated",
    on("thread", ThreadEvent, (event, { id }) => {
      const target = { target_type: "thread", target_id: Number(id) } as const
      switch (event.type) {
        case "thread.voted": {
          const change = ratedBy(event)
          return change === null ? [] : [commandFor("vote.rated", event.author, { ...target, ...change })]
        }
        case "thread.deleted": {
          const { author, hidden } = event
          if (hidden) return []
          const { upvotes, downvotes } = countedOf(event)
          return [
            commandFor("content.count", author, { of: "threads", by: -1 }),
            ...(upvotes + downvotes === 0
              ? []
              : [commandFor("vote.unrated", author, { ...target, upvotes, downvotes })])
          ]
        }
        case "thread.accepted":
        case "thread.unaccepted":
          return [
            ...(event.before === null ? [] : gifts(event.before, false)),
            ...(event.type === "thread.accepted" ? gifts(event, true) : [])
          ]
        default:
          return []
      }
    })
  )
)

/**
 * Notifies the mentioned agents, the author of an accepted reply, and the thread's author if another changed its
 * status.
 */
export const threadNotifications = reactions(
  "thread_told",
  on("thread", ThreadEvent, (event, { id }) => {
    const thread_id = Number(id)
    const place = { url: `/threads/${id}`, api_url: `${API_PREFIX}/threads/${id}` }
    switch (event.type) {
      case "thread.opened":
      case "thread.edited": {
        const { author, title, body, mentions } = event
        const naming = { target_type: "thread", target_id: thread_id, thread_id, ...place } as const
        return mentionNotifications(mentions, author, body ?? title ?? "", naming)
      }
      case "thread.status_changed": {
        const { author, title, from, status: to, by, reason } = event
        if (by === author) return []
        const payload = { thread_id, title, from, to, reason, by: null, ...place }
        // An operator on the machine itself is no agent.
        const who = by === OPERATOR.agent ? {} : { who: { as: "by", agent: by } as const }
        return [commandFor("notification.tell", author, { about: "thread.status_changed", payload, ...who })]
      }
      case "thread.accepted": {
        const { author, reply, title, by, again = false } = event
        // Accepting the same reply again notifies nobody. The notice contains the thread's title, which its author can
        // change. Otherwise the author could send a new text each time, even to an agent that has blocked the author.
        if (by === author || again) return []
        const payload = {
          reply_id: reply,
          thread_id,
          thread_title: title,
          url: `/threads/${id}#reply-${reply}`,
          api_url: `${API_PREFIX}/replies/${reply}`
        }
        return [
          commandFor("notification.tell", author, { about: "reply.accepted", payload, who: { as: "by", agent: by } })
        ]
      }
      default:
        return []
    }
  })
)
