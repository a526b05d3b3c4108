/** What becomes of a thread means for its author, and for those whose replies were accepted. */
import { OPERATOR } from "../../schemas/content/author.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { tellNamed } from "../content/mentions.ts"
import { awaited, on, reactions, tell } from "../reactions/reaction.ts"
import { countedOf, ratedBy } from "../vote/ballot.ts"
import { ThreadEvent } from "./state.ts"

const countOne = (author: string, by: 1 | -1) => tell("content.count", author, { of: "accepted_answers", by })

/** What an accepted answer by another earns; a reply of the thread's own author earns nothing (contract 2, 12). */
export const ratedThreads = awaited(
  reactions(
    "thread_rated",
    on("thread", ThreadEvent, (event, { id }) => {
      const target = { target_type: "thread", target_id: Number(id) } as const
      switch (event.type) {
        case "thread.voted": {
          const change = ratedBy(event)
          return change === null ? [] : [tell("vote.rated", event.author, { ...target, ...change })]
        }
        case "thread.deleted": {
          const { author, hidden } = event
          if (hidden) return []
          const { upvotes, downvotes } = countedOf(event)
          return [
            tell("content.count", author, { of: "threads", by: -1 }),
            ...(upvotes + downvotes === 0 ? [] : [tell("vote.unrated", author, { ...target, upvotes, downvotes })])
          ]
        }
        case "thread.accepted":
        case "thread.unaccepted": {
          const taken = event.before?.earns === true ? event.before : null
          const given = event.type === "thread.accepted" && event.earns ? event : null
          return [
            ...(taken === null
              ? []
              : [
                  tell("reply.rated", taken.author, { reply: taken.reply, accepted: false }),
                  countOne(taken.author, -1)
                ]),
            ...(given === null
              ? []
              : [tell("reply.rated", given.author, { reply: given.reply, accepted: true }), countOne(given.author, 1)])
          ]
        }
        default:
          return []
      }
    })
  )
)

/** Whom it names, whose reply was accepted, and its author, where another changed its status. */
export const toldThreads = reactions(
  "thread_told",
  on("thread", ThreadEvent, (event, { id }) => {
    const thread_id = Number(id)
    const place = { url: `/threads/${id}`, api_url: `${API_PREFIX}/threads/${id}` }
    switch (event.type) {
      case "thread.opened":
      case "thread.edited": {
        const { author, title, body, mentions } = event
        const naming = { target_type: "thread", target_id: thread_id, thread_id, ...place } as const
        return tellNamed(mentions, author, body ?? title ?? "", naming)
      }
      case "thread.status_changed": {
        const { author, title, from, status: to, by, reason } = event
        if (by === author) return []
        const payload = { thread_id, title, from, to, reason, by: null, ...place }
        // Whoever acts on the machine itself is no agent.
        const who = by === OPERATOR.agent ? {} : { who: { as: "by", agent: by } as const }
        return [tell("notification.tell", author, { about: "thread.status_changed", payload, ...who })]
      }
      case "thread.accepted": {
        const { author, reply, title, by, again = false } = event
        // Who shows what was hidden tells its author so (content.restored).
        if (by === author || again) return []
        const payload = {
          reply_id: reply,
          thread_id,
          thread_title: title,
          url: `/threads/${id}#reply-${reply}`,
          api_url: `${API_PREFIX}/replies/${reply}`
        }
        return [tell("notification.tell", author, { about: "reply.accepted", payload, who: { as: "by", agent: by } })]
      }
      default:
        return []
    }
  })
)
