/** Replies of a thread, and one alone (contract 2). */
import { type Kysely, type Selectable, sql } from "kysely"
import type { Clock } from "effect"
import { replyAddress } from "../../schemas/content/address.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { type Reply, REPLIES_PAGE_CHARS_MAX, type ReplySort, tooManyChars } from "../../schemas/reply/records.ts"
import { authorOf, inOrder, type Listing, Listings, type PageOfIds, myVote } from "../content/noun.ts"
import type { Database } from "../tables/database.ts"
import { QueryRefused } from "../queries/refused.ts"

const all = (db: Kysely<Database>) =>
  db
    .selectFrom("replies as r")
    .innerJoin("threads as t", "t.id", "r.thread")
    .innerJoin("agents as a", "a.id", "r.author")
    .leftJoin("hidden_replies as h", "h.id", "r.id")

/**
 * True for a reply that is shown. A deleted or hidden one keeps its place if others answer it. It is a scalar value and
 * not `exists`, which may be planned as a table of all answers.
 */
const STANDS = sql<boolean>`(
  not r.deleted or (select true from replies c where c.parent = r.id and not c.deleted limit 1))`

/** `hider`: the author whose hidden replies are included; `null` for none. */
const standsFor = (hider: string | null) =>
  hider === null ? STANDS : sql<boolean>`(${STANDS} or (r.hidden and r.author = ${hider}))`

const ID = { by: sql.ref("r.id"), type: "bigint" } as const
const CREATED = { by: sql.ref("r.created_at"), type: "timestamptz" } as const

type Order = Pick<Listing, "way" | "keys">

const ORDER: Record<ReplySort, Order> = {
  oldest: { way: "asc", keys: [CREATED, ID] },
  newest: { way: "desc", keys: [CREATED, ID] },
  // The accepted reply comes before these.
  top: { way: "desc", keys: [{ by: sql.ref("r.score"), type: "integer" }, ID] }
}

const COLUMNS = [
  "r.id",
  "r.thread",
  "r.parent",
  "r.body",
  "r.author",
  "r.score",
  "r.upvotes",
  "r.downvotes",
  "r.deleted",
  "r.created_at",
  "r.edited_at",
  "r.hidden",
  "h.reason as hidden_reason",
  "h.body as hidden_body",
  "t.accepted_reply_id",
  "t.title as thread_title",
  "a.number",
  "a.handle",
  "a.name",
  "a.status as author_status"
] as const

interface Row
  extends Selectable<Database["replies"]>, Pick<Selectable<Database["agents"]>, "number" | "handle" | "name"> {
  readonly hidden_reason: string | null
  readonly hidden_body: string | null
  readonly accepted_reply_id: string | null
  readonly thread_title: string
  readonly author_status: string
  readonly my_vote: Reply["my_vote"]
}

/** Only the author of a hidden reply gets the reason. */
const hiddenOf = ({ hidden, hidden_reason, author }: Row, viewer: string | null) => {
  if (!hidden) return {}
  return author === viewer ? { hidden, hidden_reason } : { hidden }
}

const replyOf = (row: Row, viewer: string | null, baseUrl: string): Reply => {
  const { score, upvotes, downvotes, my_vote, hidden } = row
  const body = hidden && row.author === viewer ? (row.hidden_body ?? "") : row.body
  const deleted = row.deleted && !hidden
  const id = Number(row.id)
  return {
    id,
    thread_id: Number(row.thread),
    parent_id: row.parent === null ? null : Number(row.parent),
    body,
    author: authorOf(row.author, { ...row, status: row.author_status }, baseUrl),
    score,
    upvotes,
    downvotes,
    my_vote,
    accepted: row.accepted_reply_id === row.id,
    deleted,
    created_at: row.created_at.toISOString(),
    edited_at: row.edited_at?.toISOString() ?? null,
    url: replyAddress(baseUrl, { id: Number(row.thread), title: row.thread_title }, id),
    ...hiddenOf(row, viewer)
  }
}

type Input = Queries["replies"]["input"]

/**
 * The thread's count of replies, plus those that keep a place without being counted. A thread that is gone has no
 * replies.
 */
const totalOf = (thread: string, stands: ReturnType<typeof standsFor>) => sql`
  select t.reply_count + (select count(*) from replies r where r.thread = t.id and r.deleted and ${stands})
  from threads t where t.id = ${thread}`

/** A list that includes an author's hidden replies is cached separately. */
const listing = ({ thread, sort }: Input, hider: string | null, accepted: string | null): Listing => {
  const number = String(thread)
  const stands = standsFor(hider)
  const where = [sql<boolean>`r.thread = ${number}`, stands]
  if (accepted !== null) where.push(sql`r.id <> ${accepted}`)
  const total = totalOf(number, stands)
  return {
    name: JSON.stringify(["replies", number, sort, hider, accepted]),
    from: sql`replies r`,
    where,
    ...ORDER[sort],
    total: accepted === null ? total : sql`(${total}) - 1`
  }
}

/** The viewer, if an operator has hidden some of the viewer's replies in the thread. */
const hiderIn = async (db: Kysely<Database>, { thread, viewer }: Input): Promise<string | null> => {
  if (viewer === null) return null
  const row = await db
    .selectFrom("replies as r")
    .where("r.author", "=", viewer)
    .where("r.thread", "=", String(thread))
    .where(sql<boolean>`r.hidden`)
    .select("r.id")
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : viewer
}

const acceptedIn = async (db: Kysely<Database>, thread: number): Promise<string | null> => {
  const row = await db
    .selectFrom("threads as t")
    .innerJoin("replies as r", "r.id", "t.accepted_reply_id")
    .where("t.id", "=", String(thread))
    .where(STANDS)
    .select("r.id")
    .executeTakeFirst()
  return row?.id ?? null
}

/** The accepted reply comes first, so all others are one position later. */
const topIds = async (
  db: Kysely<Database>,
  listings: Listings,
  input: Input,
  hider: string | null
): Promise<PageOfIds> => {
  const accepted = await acceptedIn(db, input.thread)
  const others = listing(input, hider, accepted)
  if (accepted === null) return listings.page(db, others, input)
  const { total, ids } = await listings.page(db, others, input, 1)
  return { total: total + 1, ids: input.page === 1 ? [accepted, ...ids] : ids }
}

/** The text of a reply. Only its author gets the text of a hidden one. */
const saidTo = (viewer: string | null) => sql`
  case when r.hidden and r.author = ${viewer} then coalesce(h.body, '') else r.body end`

/** Refuses a page whose texts together are too long, before they are read. */
const bounded = async (db: Kysely<Database>, ids: ReadonlyArray<string>, viewer: string | null): Promise<void> => {
  if (ids.length * LIMITS.limits.max_body_chars <= REPLIES_PAGE_CHARS_MAX) return
  const { rows } = await sql<{ readonly chars: string | null }>`
    select sum(length(${saidTo(viewer)})) as chars from replies r left join hidden_replies h on h.id = r.id
    where r.id in (${sql.join([...ids])})`.execute(db)
  if (Number(rows[0]?.chars ?? 0) > REPLIES_PAGE_CHARS_MAX) throw new QueryRefused(tooManyChars)
}

export const repliesQuery = (
  clock: Clock.Clock,
  db: Kysely<Database>,
  baseUrl: string
): ((input: Input) => Promise<Queries["replies"]["output"]>) => {
  const listings = new Listings(clock)
  return async (input) => {
    const hider = await hiderIn(db, input)
    const { total, ids } = await (input.sort === "top"
      ? topIds(db, listings, input, hider)
      : listings.page(db, listing(input, hider, null), input))
    if (ids.length === 0) return { total, items: [] }
    await bounded(db, ids, input.viewer)
    const rows = await all(db)
      .where("r.id", "in", [...ids])
      .select(COLUMNS)
      .select(myVote("r", "reply", input.viewer))
      .$castTo<Row>()
      .execute()
    return { total, items: inOrder(ids, rows, ({ id }) => id).map((row) => replyOf(row, input.viewer, baseUrl)) }
  }
}

/** Hidden replies are included if there is a viewer. The edge decides who sees them. */
export const replyQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ id, viewer }: Queries["reply"]["input"]): Promise<Queries["reply"]["output"]> => {
    const row = await all(db)
      .where(viewer === null ? STANDS : sql<boolean>`(${STANDS} or r.hidden)`)
      .where("r.id", "=", String(id))
      .select(COLUMNS)
      .select(myVote("r", "reply", viewer))
      .$castTo<Row>()
      .executeTakeFirst()
    if (row === undefined) return null
    return row.hidden && viewer !== null
      ? { ...replyOf(row, row.author, baseUrl), hidden: true }
      : replyOf(row, viewer, baseUrl)
  }
