import type { Answering } from "../queries/serve.ts"
import { postKind } from "./actor.ts"
import { postProjection } from "./projection.ts"
import { postQuery, postsQuery } from "./queries.ts"
import { ratedPosts, postNotifications, uncountedPosts } from "./reactions.ts"

export const kinds = [postKind]

export const projections = [postProjection]

export const reactions = [uncountedPosts, ratedPosts, postNotifications]

export const queries = ({ clock, db, searches, config: { baseUrl } }: Answering) => ({
  posts: postsQuery(clock, db, baseUrl, searches),
  post: postQuery(db, baseUrl)
})

export { listedPosts } from "./queries.ts"
export { PostEvent } from "./state.ts"
