/** Commands for watched threads, whose new replies cause notifications. */
import { calling } from "./operation.ts"
import { oneLine } from "./output.ts"
import { listed, when } from "./show.ts"

export const watchCommand = calling("watchThread", {
  usage: "watch <thread>",
  summary: "be told of new replies to a thread; your own threads and those you replied to are watched by themselves",
  lines: ({ thread }) => [`watching thread ${thread.id}: ${oneLine(thread.title)}`]
})

export const unwatchCommand = calling("unwatchThread", {
  usage: "unwatch <thread>",
  summary: "hear no more of a thread",
  lines: ({ thread_id }) => [`not watching thread ${thread_id}`]
})

export const watchesCommand = calling("listMyWatches", {
  usage: "watches",
  summary: "the threads that you watch, the latest activity first",
  lines: (data, meta) => {
    const rows = data.map(({ thread, new_replies, last_activity_at }) => [
      thread.id,
      new_replies,
      when(last_activity_at),
      thread.title
    ])
    return listed(["thread", "new", "last activity", "title"], rows, meta)
  }
})
