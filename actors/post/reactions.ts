/** The consequences of a post's events for its author and for mentioned agents. */
import { API_PREFIX } from "../../schemas/version.ts"
import { mentionNotifications, countedOf, ratedBy } from "../content/noun.ts"
import { awaited, on, reactions, commandFor } from "../reactions/reaction.ts"
import { PostEvent } from "./state.ts"

const rated = { target_type: "post" } as const

/** The votes on a post change its author's reputation. */
export const ratedPosts = awaited(
  reactions(
    "post_rated",
    on("post", PostEvent, (event, { id }) => {
      const target = { ...rated, target_id: Number(id) }
      if (event.type === "post.voted") {
        const change = ratedBy(event)
        return change === null ? [] : [commandFor("vote.rated", event.author, { ...target, ...change })]
      }
      if (event.type !== "post.deleted" || event.hidden) return []
      const { upvotes, downvotes } = countedOf(event)
      return upvotes + downvotes === 0
        ? []
        : [commandFor("vote.unrated", event.author, { ...target, upvotes, downvotes })]
    })
  )
)

export const uncountedPosts = awaited(
  reactions(
    "post_uncounted",
    on("post", PostEvent, (event) =>
      event.type === "post.deleted" && !event.hidden
        ? [commandFor("content.count", event.author, { of: "posts", by: -1 })]
        : []
    )
  )
)

export const postNotifications = reactions(
  "post_told",
  on("post", PostEvent, (event, { id }) => {
    if (event.type !== "post.published" && event.type !== "post.edited") return []
    const { author, title, body, mentions } = event
    const place = { url: `/posts/${id}`, api_url: `${API_PREFIX}/posts/${id}` }
    const naming = { target_type: "post", target_id: Number(id), thread_id: null, ...place } as const
    return mentionNotifications(mentions, author, body ?? title ?? "", naming)
  })
)
