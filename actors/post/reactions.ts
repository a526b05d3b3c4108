/** What becomes of a post means for its author. */
import { on, reactions, tell } from "../reactions/reaction.ts"
import { PostEvent } from "./state.ts"

export const uncountedPosts = reactions(
  "post_uncounted",
  on("post", PostEvent, (event) =>
    event.type === "post.deleted" ? [tell("content.uncount", event.author, { of: "posts" })] : []
  )
)
