/** The tables of posts and of hidden posts. */
import { sql, type Transaction } from "kysely"
import type { BlobRef } from "../../schemas/blob/operations.ts"
import type { FileRef } from "../../schemas/file/records.ts"
import {
  foldHiding,
  type HiddenRows,
  noHiddenRows,
  writeBack,
  writeHidden,
  BARE,
  MADE,
  type Made,
  withExcerpts,
  writeSearched
} from "../content/noun.ts"
import type { Database } from "../tables/database.ts"
import { eventsOf, inventoryOf } from "../engine/events.ts"
import { type Change, type Logged, logProjection } from "../projections/projection.ts"
import { rowsJson, rowsJsonPieces } from "../tables/rows.ts"
import { PostEvent } from "./state.ts"

/** A post that is older by this many seconds needs ten times the score for the same rank (contract 1). */
const HOT_SECONDS = 45_000

interface PostRow {
  readonly id: number
  author?: string
  kind?: string
  title?: string
  body?: string
  tags?: ReadonlyArray<string>
  license?: string | null
  /** True if `license` changes, even to none. */
  relicensed?: boolean
  file?: FileRef | null
  /** True if `file` changes, even to none. `restocked` says the same of `data`. */
  refiled?: boolean
  data?: BlobRef | null
  restocked?: boolean
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
  readonly hiding: HiddenRows
}

type Edited = Extract<PostEvent, { type: "post.edited" }>

const edit = (row: PostRow, { title, body, tags, license, data }: Edited, at: string): void => {
  if (title !== undefined) row.title = title
  if (body !== undefined) row.body = body
  if (tags !== undefined) row.tags = tags
  if (license !== undefined) Object.assign(row, { license, relicensed: true })
  if (data !== undefined) Object.assign(row, { data, restocked: true })
  row.updated_at = at
  if (title !== undefined || body !== undefined || tags !== undefined) row.edited_at = at
}

const postRows = (commits: ReadonlyArray<Logged>): PostRows => {
  const published = new Map<number, PostRow>()
  const edited = new Map<number, PostRow>()
  const voted = new Map<number, Voted>()
  const deleted = new Set<number>()
  const hiding = noHiddenRows()
  for (const { id: text, commit } of commits) {
    const id = Number(text)
    const at = new Date(commit.at).toISOString()
    for (const event of eventsOf(PostEvent, commit)) {
      if (event.type === "post.published") {
        const { author, kind, title, body, tags, license, data = null } = event
        const stored = { file: null, data }
        const times = { created_at: at, updated_at: at }
        published.set(id, { id, author, kind, title, body, tags, license, ...stored, ...times })
      } else if (event.type === "post.deleted") deleted.add(id)
      else if (event.type === "post.voted") voted.set(id, { id, upvotes: event.upvotes, downvotes: event.downvotes })
      else if (event.type === "post.hidden" || event.type === "post.restored") foldHiding(hiding, id, event)
      else {
        const row = published.get(id) ?? edited.get(id) ?? { id }
        if (!published.has(id)) edited.set(id, row)
        if (event.type === "post.filed") Object.assign(row, { file: event.file, refiled: true, updated_at: at })
        else edit(row, event, at)
      }
    }
  }
  return { published, edited, voted, deleted, hiding }
}

const writePosts = async (
  trx: Transaction<Database>,
  { published, edited, voted, deleted, hiding }: PostRows,
  made: Made
): Promise<void> => {
  const were = await writeBack(trx, "posts", [...edited.keys(), ...voted.keys(), ...hiding.hidden.keys()])
  for await (const rows of rowsJsonPieces(withExcerpts(published.values(), made))) {
    await sql`
      insert into posts (id, author, kind, title, body, excerpt, tags, license, file, data, upvotes, downvotes, score, hot,
        created_at, updated_at, edited_at)
      select p.id, p.author, p.kind, p.title, p.body, p.excerpt, p.tags, p.license, p.file, p.data, 0, 0, 0,
        extract(epoch from p.created_at) / ${HOT_SECONDS}, p.created_at, p.updated_at, p.edited_at
      from jsonb_populate_recordset(null::posts, ${rows}::jsonb) p
      on conflict (id) do nothing`.execute(trx)
  }
  for await (const rows of rowsJsonPieces(withExcerpts(edited.values(), made))) {
    await sql`
      update posts p set title = coalesce(n.title, p.title), body = coalesce(n.body, p.body),
        excerpt = coalesce(n.excerpt, p.excerpt), tags = coalesce(n.tags, p.tags),
        license = case when n.relicensed then n.license else p.license end,
        file = case when n.refiled then n.file else p.file end,
        data = case when n.restocked then n.data else p.data end,
        updated_at = n.updated_at, edited_at = coalesce(n.edited_at, p.edited_at)
      from jsonb_to_recordset(${rows}::jsonb) n (id bigint, title text, body text, excerpt text, tags text[],
        license text, relicensed boolean, file jsonb, refiled boolean, data jsonb, restocked boolean,
        updated_at timestamptz, edited_at timestamptz)
      where p.id = n.id`.execute(trx)
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
  await writeHidden(trx, "posts", hiding, were)
  if (deleted.size > 0) {
    await sql`delete from posts where id = any(${[...deleted]}::bigint[])`.execute(trx)
    await sql`delete from hidden_posts where id = any(${[...deleted]}::bigint[])`.execute(trx)
  }
  await writeSearched(trx, "posts", { written: published.values(), changed: edited.values(), hiding, deleted }, made)
}

const changing =
  (made: Made) =>
  (commits: ReadonlyArray<Logged>): Change => {
    const rows = postRows(commits)
    return (trx) => writePosts(trx, rows, made)
  }

export const postProjection = logProjection({
  name: "post",
  // Version 2: search weights changed. 4: the service itself splits texts into words. 5: Korean is indexed in pairs. 6:
  // search vectors are in a table of their own.
  version: 6,
  reads: [{ kind: "post", events: inventoryOf(PostEvent) }],
  tables: [
    { name: "searched_posts", kind: "post", actor: "id" },
    { name: "posts", kind: "post", actor: "id" },
    { name: "hidden_posts", kind: "post", actor: "id" }
  ],
  changes: changing(MADE),
  bare: changing(BARE)
})
