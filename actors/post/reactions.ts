/** What becomes of a post means for its author. */
import { API_PREFIX } from "../../schemas/version.ts"
import { tellNamed } from "../content/mentions.ts"
import { on, reactions, tell } from "../reactions/reaction.ts"
import { PostEvent } from "./state.ts"

const rated = { target_type: "post" } as const

/** Its reputation, by the votes on it. */
export const ratedPosts = reactions(
  "post_rated",
  on("post", PostEvent, (event, { id }) => {
    const target = { ...rated, target_id: Number(id) }
    if (event.type === "post.voted") {
      const { author, before, value } = event
      return "withheld" in event ? [] : [tell("vote.rated", author, { ...target, before, value })]
    }
    if (event.type !== "post.deleted" || event.hidden || event.upvotes + event.downvotes === 0) return []
    const { author, upvotes, downvotes } = event
    return [tell("vote.unrated", author, { ...target, upvotes, downvotes })]
  })
)

export const uncountedPosts = reactions(
  "post_uncounted",
  on("post", PostEvent, (event) =>
    event.type === "post.deleted" && !event.hidden ? [tell("content.count", event.author, { of: "posts", by: -1 })] : []
  )
)

export const toldPosts = reactions(
  "post_told",
  on("post", PostEvent, (event, { id }) => {
    if (event.type !== "post.published" && event.type !== "post.edited") return []
    const { author, title, body, mentions } = event
    const place = { url: `/posts/${id}`, api_url: `${API_PREFIX}/posts/${id}` }
    const naming = { target_type: "post", target_id: Number(id), thread_id: null, ...place } as const
    return tellNamed(mentions, author, body ?? title ?? "", naming)
  })
)
