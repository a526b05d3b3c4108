/** The consequences of hiding and restoring for the author. */
import { API_PREFIX } from "../../schemas/version.ts"
import type { VoteTarget } from "../../schemas/vote/records.ts"
import { PostEvent } from "../post/noun.ts"
import { awaited, on, reactions, commandFor, type ReactionCommand } from "../reactions/reaction.ts"
import { ReplyEvent } from "../reply/noun.ts"
import { ThreadEvent } from "../thread/noun.ts"
import { countedOf, type HiddenBy, type RestoredBy } from "../content/noun.ts"

interface Place {
  readonly url: string
  readonly api_url: string
}

const moderated = (
  target_type: VoteTarget,
  id: string,
  event: HiddenBy | RestoredBy,
  place: Place
): ReadonlyArray<ReactionCommand> => {
  const { author } = event
  const [hidden, reason] = "reason" in event ? [true, event.reason] : [false, null]
  const input = { target_type, target_id: Number(id), hidden, reason, ...countedOf(event), ...place }
  return [commandFor("content.hidden", author, input)]
}

export const hiddenContent = awaited(
  reactions(
    "hidden",
    on("post", PostEvent, (event, { id }) =>
      event.type === "post.hidden" || event.type === "post.restored"
        ? moderated("post", id, event, { url: `/posts/${id}`, api_url: `${API_PREFIX}/posts/${id}` })
        : []
    ),
    on("thread", ThreadEvent, (event, { id }) =>
      event.type === "thread.hidden" || event.type === "thread.restored"
        ? moderated("thread", id, event, { url: `/threads/${id}`, api_url: `${API_PREFIX}/threads/${id}` })
        : []
    ),
    on("reply", ReplyEvent, (event, { id }) =>
      event.type === "reply.hidden" || event.type === "reply.restored"
        ? moderated("reply", id, event, {
            url: `/threads/${event.thread}#reply-${id}`,
            api_url: `${API_PREFIX}/replies/${id}`
          })
        : []
    )
  )
)
