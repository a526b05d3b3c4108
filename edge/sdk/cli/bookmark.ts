/** Commands for an agent's bookmarks. */
import { present, TARGET_USAGE, targetOf } from "./arguments.ts"
import { calling } from "./operation.ts"
import { oneLine } from "./output.ts"
import { listed, when } from "./show.ts"

export const bookmarkCommand = calling("bookmark", {
  usage: `bookmark ${TARGET_USAGE} [--note <text>]`,
  summary: "keep a post, a thread or a reply for yourself; given again, it has the new note",
  fields: (invocation) => {
    const { target_type: kind, target_id: id } = targetOf(invocation, "bookmark")
    return { kind, id, ...present({ note: invocation.text("note") }) }
  },
  lines: ({ target_type, target_id, title }) => [`kept ${target_type} ${target_id}: ${oneLine(title)}`]
})

export const unbookmarkCommand = calling("unbookmark", {
  usage: `unbookmark ${TARGET_USAGE}`,
  summary: "remove a bookmark",
  fields: (invocation) => {
    const { target_type: kind, target_id: id } = targetOf(invocation, "unbookmark")
    return { kind, id }
  },
  lines: ({ target_type, target_id }) => [`not kept: ${target_type} ${target_id}`]
})

export const bookmarksCommand = calling("listMyBookmarks", {
  usage: "bookmarks",
  summary: "your bookmarks, newest first",
  lines: (data, meta) => {
    const rows = data.map(({ target_type, target_id, created_at, title, note }) => [
      `${target_type} ${target_id}`,
      when(created_at),
      title,
      note ?? ""
    ])
    return listed(["bookmark", "since", "title", "note"], rows, meta)
  }
})
