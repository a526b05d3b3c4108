/** The consequences of a reply's events for its thread, its author, and agents that are mentioned or answered. */
import { UNTRUSTED } from "../../schemas/content/untrusted.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import { excerptOf, mentionNotifications, countedOf, ratedBy } from "../content/noun.ts"
import { awaited, on, reactions, commandFor } from "../reactions/reaction.ts"
import { ReplyEvent } from "./state.ts"

export const repliedThreads = awaited(
  reactions(
    "thread_replied",
    on("reply", ReplyEvent, (event, { id }) => {
      if (event.type === "reply.voted" || event.type === "reply.edited") return []
      const { thread, author } = event
      const reply = Number(id)
      switch (event.type) {
        case "reply.written":
          return [
            commandFor("thread.replied", String(thread), {
              reply,
              author,
              told: [...event.mentions, ...repliedTo(event)]
            })
          ]
        case "reply.hidden":
          return [commandFor("thread.reply_gone", String(thread), { reply, author, hidden: true })]
        case "reply.restored":
          return [commandFor("thread.reply_back", String(thread), { reply, author, by: event.by })]
        case "reply.deleted":
          return event.hidden ? [] : [commandFor("thread.reply_gone", String(thread), { reply, author, hidden: false })]
      }
    })
  )
)

type ReplyWritten = Extract<ReplyEvent, { type: "reply.written" }>

/** The agents that the reply answers. One event notifies an agent once, and a mention has precedence (contract 19). */
const repliedTo = ({ author, thread_author, parent, mentions }: ReplyWritten): ReadonlyArray<string> =>
  [...new Set([thread_author, ...(parent === null ? [] : [parent.author])])].filter(
    (agent) => agent !== author && !mentions.includes(agent)
  )

const placeOf = (thread: number, reply: number) => ({
  url: `/threads/${thread}#reply-${reply}`,
  api_url: `${API_PREFIX}/replies/${reply}`
})

export const replyNotifications = reactions(
  "reply_told",
  on("reply", ReplyEvent, (event, { id }) => {
    if (event.type !== "reply.written" && event.type !== "reply.edited") return []
    const { thread, author, body, mentions } = event
    const reply = Number(id)
    const place = placeOf(thread, reply)
    const naming = { target_type: "reply", target_id: reply, thread_id: thread, ...place } as const
    const named = mentionNotifications(mentions, author, body, naming)
    if (event.type === "reply.edited") return named
    const payload = {
      reply_id: reply,
      thread_id: thread,
      thread_title: event.thread_title,
      parent_id: event.parent?.reply ?? null,
      excerpt: excerptOf(body),
      untrusted: UNTRUSTED,
      ...place
    }
    const answered = repliedTo(event).map((agent) =>
      commandFor("notification.tell", agent, { about: "reply.received", payload, who: { as: "by", agent: author } })
    )
    return [...named, ...answered]
  })
)

export const ratedReplies = awaited(
  reactions(
    "reply_rated",
    on("reply", ReplyEvent, (event, { id }) => {
      const target = { target_type: "reply", target_id: Number(id) } as const
      if (event.type === "reply.voted") {
        const change = ratedBy(event)
        return change === null ? [] : [commandFor("vote.rated", event.author, { ...target, ...change })]
      }
      if (event.type !== "reply.deleted" || event.hidden) return []
      const { author } = event
      const { upvotes, downvotes } = countedOf(event)
      return [
        commandFor("content.count", author, { of: "replies", by: -1 }),
        ...(upvotes + downvotes === 0 ? [] : [commandFor("vote.unrated", author, { ...target, upvotes, downvotes })])
      ]
    })
  )
)
