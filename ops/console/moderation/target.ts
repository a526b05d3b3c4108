/**
 * The target of a report, or hidden content, as an operator sees it. It is read from the read models alone.
 *
 * Invariants
 *  - Private messages are not shown. A report of one has only the reporter's words.
 *  - Texts are cut at `TEXT_MAX_CHARS`, and lists at the bounds below.
 */
import type { Kysely } from "kysely"
import type { Database } from "../../../actors/tables/database.ts"

const TEXT_MAX_CHARS = 4000
const AROUND_CHARS = 300
/** The number of replies shown before and after the reported one. */
const AROUND_MAX = 3

export type Noun = "post" | "thread" | "reply"
export const isNoun = (text: string): text is Noun => text === "post" || text === "thread" || text === "reply"

interface Beside {
  readonly id: string
  readonly author: string
  readonly text: string
}

export interface WrittenTarget {
  readonly noun: Noun
  readonly id: string
  /** The author's hub id. */
  readonly author: string
  readonly title: string | null
  readonly text: string
  /** Characters that are not shown. */
  readonly cut: number
  /** The reason why it is hidden; `null` if it is not. */
  readonly hidden: string | null
  readonly deleted: boolean
  /** Number of the thread that a reply belongs to, for its neighbors. */
  readonly thread: string | null
  readonly before: ReadonlyArray<Beside>
  readonly behind: ReadonlyArray<Beside>
}

type Db = Kysely<Database>

const cut = (text: string): Pick<WrittenTarget, "text" | "cut"> => ({
  text: text.slice(0, TEXT_MAX_CHARS),
  cut: Math.max(0, text.length - TEXT_MAX_CHARS)
})

const ALONE = { thread: null, before: [], behind: [] } as const

/** Rows of hidden content are kept separately, unchanged. */
interface HiddenRow {
  readonly author: string
  readonly title: string
  readonly body: string
}

const postOrThread = async (db: Db, noun: "post" | "thread", id: string): Promise<WrittenTarget | null> => {
  const shown = await db
    .selectFrom(noun === "post" ? "posts" : "threads")
    .select(["author", "title", "body"])
    .where("id", "=", id)
    .executeTakeFirst()
  if (shown !== undefined) {
    const { author, title, body } = shown
    return { noun, id, author, title, ...cut(body), hidden: null, deleted: false, ...ALONE }
  }
  const aside = await db
    .selectFrom(noun === "post" ? "hidden_posts" : "hidden_threads")
    .select(["reason", "row"])
    .where("id", "=", id)
    .executeTakeFirst()
  if (aside === undefined) return null
  const { author, title, body } = aside.row as HiddenRow
  return { noun, id, author, title, ...cut(body), hidden: aside.reason, deleted: false, ...ALONE }
}

const aroundIn = async (db: Db, thread: string, id: string, way: "before" | "behind") => {
  const rows = await db
    .selectFrom("replies")
    .select(["id", "author", "body"])
    .where("thread", "=", thread)
    .where("deleted", "=", false)
    .where("hidden", "=", false)
    .where("id", way === "before" ? "<" : ">", id)
    .orderBy("id", way === "before" ? "desc" : "asc")
    .limit(AROUND_MAX)
    .execute()
  const beside = rows.map(({ id: number, author, body }) => ({
    id: number,
    author,
    text: body.slice(0, AROUND_CHARS)
  }))
  return way === "before" ? beside.toReversed() : beside
}

const reply = async (db: Db, id: string): Promise<WrittenTarget | null> => {
  const row = await db
    .selectFrom("replies as r")
    .leftJoin("hidden_replies as h", "h.id", "r.id")
    .select(["r.thread", "r.author", "r.body", "r.deleted", "r.hidden", "h.reason", "h.body as was"])
    .where("r.id", "=", id)
    .executeTakeFirst()
  if (row === undefined) return null
  const { thread, author, deleted, hidden, reason } = row
  const [before, behind] = [await aroundIn(db, thread, id, "before"), await aroundIn(db, thread, id, "behind")]
  const text = cut(hidden ? (row.was ?? "") : row.body)
  return {
    noun: "reply",
    id,
    author,
    title: null,
    ...text,
    hidden: hidden ? (reason ?? "") : null,
    deleted,
    thread,
    before,
    behind
  }
}

/** `null` if the read models do not have the content. `id` must consist of digits. */
export const writtenAt = (db: Db, noun: Noun, id: string): Promise<WrittenTarget | null> =>
  noun === "reply" ? reply(db, id) : postOrThread(db, noun, id)

export interface HiddenItem {
  readonly noun: Noun
  readonly id: string
  readonly reason: string
  readonly text: string
}

/** Newest of each noun first. */
export const hiddenItems = async (db: Db, max: number): Promise<ReadonlyArray<HiddenItem>> => {
  const [posts, threads, replies] = await Promise.all([
    db.selectFrom("hidden_posts").select(["id", "reason", "row"]).orderBy("id", "desc").limit(max).execute(),
    db.selectFrom("hidden_threads").select(["id", "reason", "row"]).orderBy("id", "desc").limit(max).execute(),
    db.selectFrom("hidden_replies").select(["id", "reason", "body"]).orderBy("id", "desc").limit(max).execute()
  ])
  const titled =
    (noun: Noun) =>
    ({ id, reason, row }: { readonly id: string; readonly reason: string; readonly row: unknown }): HiddenItem => ({
      noun,
      id,
      reason,
      text: (row as HiddenRow).title
    })
  return [
    ...posts.map(titled("post")),
    ...threads.map(titled("thread")),
    ...replies.map(({ id, reason, body }) => ({
      noun: "reply" as const,
      id,
      reason,
      text: body.slice(0, AROUND_CHARS)
    }))
  ]
}
