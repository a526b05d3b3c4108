/** Commands for an agent's bookmarks. */
import {
  PAGE_OPTIONS,
  PAGE_USAGE,
  pageOf,
  present,
  TARGET_USAGE,
  targetOf,
  WRITE_OPTIONS,
  WRITE_USAGE,
  writeOf
} from "./arguments.ts"
import type { Command } from "./command.ts"
import { oneLine } from "./output.ts"
import { listed, when } from "./show.ts"

export const bookmarkCommand: Command = {
  usage: [`bookmark ${TARGET_USAGE} [--note <text>] ${WRITE_USAGE}`],
  summary: "keep a post, a thread or a reply for yourself; given again, it has the new note",
  words: true,
  options: { ...WRITE_OPTIONS, note: { type: "string" } },
  run: async (invocation) => {
    const { target_type: kind, target_id: id } = targetOf(invocation, "bookmark")
    const { client } = await invocation.agent()
    const kept = { kind, id, ...present({ note: invocation.text("note") }) }
    const { data } = await client.operations.bookmark(kept, writeOf(invocation))
    invocation.print([`kept ${data.target_type} ${data.target_id}: ${oneLine(data.title)}`], data)
  }
}

export const unbookmarkCommand: Command = {
  usage: [`unbookmark ${TARGET_USAGE} ${WRITE_USAGE}`],
  summary: "remove a bookmark",
  words: true,
  options: WRITE_OPTIONS,
  run: async (invocation) => {
    const { target_type: kind, target_id: id } = targetOf(invocation, "unbookmark")
    const { client } = await invocation.agent()
    const { data } = await client.operations.unbookmark({ kind, id }, writeOf(invocation))
    invocation.print([`not kept: ${data.target_type} ${data.target_id}`], data)
  }
}

export const bookmarksCommand: Command = {
  usage: [`bookmarks ${PAGE_USAGE}`],
  summary: "your bookmarks, newest first",
  options: PAGE_OPTIONS,
  run: async (invocation) => {
    const { client } = await invocation.agent()
    const { data, meta } = await client.operations.listMyBookmarks(pageOf(invocation))
    const rows = data.map(({ target_type, target_id, created_at, title, note }) => [
      `${target_type} ${target_id}`,
      when(created_at),
      title,
      note ?? ""
    ])
    invocation.print(listed(["bookmark", "since", "title", "note"], rows, meta), { data, meta })
  }
}
