/** The table of posts. */
import { sql, type Transaction } from "kysely"
import type { BlobRef } from "../../schemas/blob/operations.ts"
import type { FileRef } from "../../schemas/file/records.ts"
import { excerptOf } from "../content/excerpt.ts"
import { searchedOf } from "../content/searched.ts"
import type { Database } from "../database.ts"
import { eventsOf, inventoryOf } from "../engine/events.ts"
import { type Logged, logProjection } from "../projections/projection.ts"
import { rowsJson } from "../projections/rows.ts"
import { PostEvent } from "./state.ts"

/** Seconds in which a post sinks as far as ten times its score lifts it (contract 1). */
const HOT_SECONDS = 45_000

interface PostRow {
  readonly id: number
  author?: string
  kind?: string
  title?: string
  body?: string
  excerpt?: string
  tags?: ReadonlyArray<string>
  license?: string | null
  file?: FileRef | null
  data?: BlobRef | null
  created_at?: string
  updated_at?: string
  edited_at?: string
}

interface Voted {
  readonly id: number
  readonly upvotes: number
  readonly downvotes: number
}

interface PostRows {
  readonly published: ReadonlyMap<number, PostRow>
  readonly edited: ReadonlyMap<number, PostRow>
  readonly voted: ReadonlyMap<number, Voted>
  readonly deleted: ReadonlySet<number>
}

/** Folds a batch of commits into rows. Pure. */
const postRows = (commits: ReadonlyArray<Logged>): PostRows => {
  const published = new Map<number, PostRow>()
  const edited = new Map<number, PostRow>()
  const voted = new Map<number, Voted>()
  const deleted = new Set<number>()
  for (const { id: text, commit } of commits) {
    const id = Number(text)
    const at = new Date(commit.at).toISOString()
    for (const event of eventsOf(PostEvent, commit)) {
      if (event.type === "post.published") {
        const { author, kind, title, body, tags, license, data = null } = event
        const excerpt = excerptOf(body)
        const stored = { file: null, data }
        const times = { created_at: at, updated_at: at }
        published.set(id, { id, author, kind, title, body, excerpt, tags, license, ...stored, ...times })
      } else if (event.type === "post.deleted") deleted.add(id)
      else if (event.type === "post.voted") voted.set(id, { id, upvotes: event.upvotes, downvotes: event.downvotes })
      else {
        const { type: _type, v: _v, ...change } = event
        const row = published.get(id) ?? edited.get(id) ?? { id }
        if (!published.has(id)) edited.set(id, row)
        Object.assign(row, change, { updated_at: at })
        if (event.type === "post.filed") continue
        if (event.body !== undefined) row.excerpt = excerptOf(event.body)
        if (event.title !== undefined || event.body !== undefined || event.tags !== undefined) row.edited_at = at
      }
    }
  }
  return { published, edited, voted, deleted }
}

const writePosts = async (
  trx: Transaction<Database>,
  { published, edited, voted, deleted }: PostRows
): Promise<void> => {
  if (published.size > 0) {
    await sql`
      insert into posts (id, author, kind, title, body, excerpt, tags, license, file, data, upvotes, downvotes, score, hot,
        created_at, updated_at, edited_at, search)
      select p.id, p.author, p.kind, p.title, p.body, p.excerpt, p.tags, p.license, p.file, p.data, 0, 0, 0,
        extract(epoch from p.created_at) / ${HOT_SECONDS}, p.created_at, p.updated_at, p.edited_at, ${searchedOf("p")}
      from jsonb_populate_recordset(null::posts, ${rowsJson([...published.values()])}::jsonb) p
      on conflict (id) do nothing`.execute(trx)
  }
  for (const { id, ...change } of edited.values()) {
    await sql`
      update posts p set title = coalesce(n.title, p.title), body = coalesce(n.body, p.body),
        excerpt = coalesce(n.excerpt, p.excerpt), tags = coalesce(n.tags, p.tags),
        license = ${change.license === undefined ? sql`p.license` : change.license},
        file = ${change.file === undefined ? sql`p.file` : sql`n.file`},
        data = ${change.data === undefined ? sql`p.data` : sql`n.data`},
        updated_at = n.updated_at, edited_at = coalesce(n.edited_at, p.edited_at)
      from jsonb_populate_record(null::posts, ${JSON.stringify(change)}::jsonb) n where p.id = ${id}`.execute(trx)
    await sql`update posts p set search = ${searchedOf("p")} where p.id = ${id}`.execute(trx)
  }
  if (voted.size > 0) {
    await sql`
      update posts p set upvotes = n.upvotes, downvotes = n.downvotes, score = n.upvotes - n.downvotes,
        hot = sign(n.upvotes - n.downvotes) * log(greatest(1, abs(n.upvotes - n.downvotes)))
          + extract(epoch from p.created_at) / ${HOT_SECONDS}
      from jsonb_populate_recordset(null::posts, ${rowsJson([...voted.values()])}::jsonb) n where p.id = n.id`.execute(
      trx
    )
  }
  if (deleted.size > 0)
    await trx
      .deleteFrom("posts")
      .where("id", "in", [...deleted].map(String))
      .execute()
}

export const postProjection = logProjection({
  name: "post",
  version: 1,
  reads: [{ kind: "post", events: inventoryOf(PostEvent) }],
  tables: [{ name: "posts", kind: "post", actor: "id" }],
  changes: (commits) => (trx) => writePosts(trx, postRows(commits))
})
