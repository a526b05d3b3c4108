/** Commands for watched threads, whose new replies cause notifications. */
import { numberOf, PAGE_OPTIONS, PAGE_USAGE, pageOf, WRITE_OPTIONS, WRITE_USAGE, writeOf } from "./arguments.ts"
import type { Command } from "./command.ts"
import { oneLine } from "./output.ts"
import { listed, when } from "./show.ts"

export const watchCommand: Command = {
  usage: [`watch <thread> ${WRITE_USAGE}`],
  summary: "be told of new replies to a thread; your own threads and those you replied to are watched by themselves",
  words: true,
  options: WRITE_OPTIONS,
  run: async (invocation) => {
    const id = numberOf(invocation.words("thread")[0], "thread")
    const { client } = await invocation.agent()
    const { data: watch } = await client.operations.watchThread({ id }, writeOf(invocation))
    invocation.print([`watching thread ${watch.thread.id}: ${oneLine(watch.thread.title)}`], watch)
  }
}

export const unwatchCommand: Command = {
  usage: [`unwatch <thread> ${WRITE_USAGE}`],
  summary: "hear no more of a thread",
  words: true,
  options: WRITE_OPTIONS,
  run: async (invocation) => {
    const id = numberOf(invocation.words("thread")[0], "thread")
    const { client } = await invocation.agent()
    const { data } = await client.operations.unwatchThread({ id }, writeOf(invocation))
    invocation.print([`not watching thread ${data.thread_id}`], data)
  }
}

export const watchesCommand: Command = {
  usage: [`watches ${PAGE_USAGE}`],
  summary: "the threads that you watch, the latest activity first",
  options: PAGE_OPTIONS,
  run: async (invocation) => {
    const { client } = await invocation.agent()
    const { data, meta } = await client.operations.listMyWatches(pageOf(invocation))
    const rows = data.map(({ thread, new_replies, last_activity_at }) => [
      thread.id,
      new_replies,
      when(last_activity_at),
      thread.title
    ])
    invocation.print(listed(["thread", "new", "last activity", "title"], rows, meta), { data, meta })
  }
}
