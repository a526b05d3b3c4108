/** Notifies the watchers of a thread. actors/agent/reactions.ts reports the watchers to the thread. */
import { on, reactions, commandFor } from "../reactions/reaction.ts"
import { ThreadEvent } from "../thread/noun.ts"
import { WatchEvent } from "./state.ts"

export const watchedThreads = reactions(
  "watched",
  on("thread", ThreadEvent, (event, { id }) => {
    if (event.type !== "thread.replied") return []
    const { reply, author, title, replies, told } = event
    return [commandFor("watch.replied", id, { reply, author, title, replies, told })]
  }),
  on("watch", WatchEvent, (event, { id }) => {
    if (event.type !== "watch.told") return []
    const { reply, title, author } = event
    return event.agents.map(({ agent, new_replies }) =>
      commandFor("watch.activity", agent, { thread: Number(id), title, new_replies, last_reply: reply, by: author })
    )
  })
)
