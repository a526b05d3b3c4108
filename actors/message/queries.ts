/**
 * An agent's private messages (contract 3).
 *
 * Invariant: the asking agent is the sender or the recipient of every message that is found. Nobody else can read
 * messages, not even operators.
 */
import { type AliasableExpression, type Kysely, type RawBuilder, type Selectable, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Message } from "../../schemas/message/records.ts"
import { authorOf } from "../content/noun.ts"
import type { Database } from "../tables/database.ts"
import { COUNTED, totalBeside } from "../tables/page.ts"
import { gapBetween, lowestGap } from "./gaps.ts"

type MessagesQuery = Queries["messages"]["input"]
type Box = Omit<MessagesQuery, "until" | "page" | "per_page">

const found = (db: Kysely<Database>, { agent, with: other, unread, since_id }: Box, own: "recipient" | "sender") => {
  let messages = db.selectFrom("messages").select(["id", "created_at"]).where(own, "=", agent)
  if (other !== null) messages = messages.where(own === "sender" ? "recipient" : "sender", "=", other)
  if (unread) messages = messages.where("read_at", "is", null)
  return since_id > 0 ? messages.where("id", ">", String(since_id)) : messages
}

type FoundMessages = ReturnType<typeof found>
type Stored = Selectable<Database["messages"]>
type Place = Pick<Stored, "id" | "created_at">

/**
 * Ends at the first number that may still come, so that a poller that continues from the highest one misses nothing.
 */
const listed = (db: Kysely<Database>, asked: Box, own: "recipient" | "sender") =>
  found(db, asked, own).where("id", "<", lowestGap(asked.since_id))

/**
 * Rows without texts, because a deep page passes over all rows before its own. Selects both directions by two searches
 * instead of `or`, because each has its own index. No agent writes to itself, so no message is found twice.
 */
const boxOf = (
  db: Kysely<Database>,
  asked: Box,
  each: (messages: FoundMessages) => FoundMessages = (all) => all
): AliasableExpression<Place> => {
  if (asked.box === "inbox") return each(listed(db, asked, "recipient"))
  if (asked.box === "sent") return each(listed(db, asked, "sender"))
  const ended = (own: "recipient" | "sender") => db.selectFrom(each(listed(db, asked, own)).as("one")).selectAll("one")
  return ended("recipient").unionAll(ended("sender"))
}

/** Newest first, the id in the same direction (spec 4.1.6). */
const newest = (messages: FoundMessages): FoundMessages => messages.orderBy("created_at", "desc").orderBy("id", "desc")

/**
 * A page in the order of the list. Each search is limited to the end of the page. Otherwise Postgres would sort all
 * messages of the agent, because it does not see that both results are already sorted.
 */
export const listOf = (db: Kysely<Database>, { page, per_page, ...asked }: Omit<MessagesQuery, "until">) =>
  db
    .selectFrom(boxOf(db, asked, (messages) => newest(messages).limit(page * per_page)).as("m"))
    .selectAll("m")
    .orderBy("m.created_at", "desc")
    .orderBy("m.id", "desc")
    .limit(per_page)
    .offset((page - 1) * per_page)

/** The messages of a page, with sender and recipient. */
const messageRows = (db: Kysely<Database>, places: AliasableExpression<Place>) =>
  db
    .selectFrom(places.as("place"))
    .innerJoin("messages as m", "m.id", "place.id")
    .innerJoin("agents as f", "f.id", "m.sender")
    .innerJoin("agents as t", "t.id", "m.recipient")
    .orderBy("m.created_at", "desc")
    .orderBy("m.id", "desc")
    .select([
      "m.id",
      "m.sender",
      "m.recipient",
      "m.conversation",
      "m.body",
      "m.in_reply_to",
      "m.created_at",
      "m.read_at"
    ])
    .select(["f.number as from_number", "f.handle as from_handle", "f.name as from_name", "f.status as from_status"])
    .select(["t.number as to_number", "t.handle as to_handle", "t.name as to_name", "t.status as to_status"])

interface Row extends Stored {
  readonly from_number: number
  readonly from_handle: string
  readonly from_name: string
  readonly from_status: string
  readonly to_number: number
  readonly to_handle: string
  readonly to_name: string
  readonly to_status: string
}

const messageOf = (row: Row, baseUrl: string): Message => {
  const from = { number: row.from_number, handle: row.from_handle, name: row.from_name, status: row.from_status }
  const to = { number: row.to_number, handle: row.to_handle, name: row.to_name, status: row.to_status }
  return {
    id: Number(row.id),
    conversation_id: row.conversation,
    from: authorOf(row.sender, from, baseUrl),
    to: authorOf(row.recipient, to, baseUrl),
    body: row.body,
    in_reply_to: row.in_reply_to === null ? null : Number(row.in_reply_to),
    read_at: row.read_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString()
  }
}

const newestOf = ({ agent, box }: Box): RawBuilder<unknown> => {
  const newest = (own: "recipient" | "sender") => sql`(select max(id) from messages where ${sql.ref(own)} = ${agent})`
  if (box === "all") return sql`greatest(${newest("recipient")}, ${newest("sender")})`
  return newest(box === "sent" ? "sender" : "recipient")
}

/** The number that the answer waits for; `null` if there is no gap, or if the query does not wait. */
const heldBack = async (db: Kysely<Database>, { until, ...box }: MessagesQuery): Promise<number | null> => {
  if (until === undefined) return null
  const top = until === null ? newestOf(box) : sql`${String(until)}::bigint`
  const { rows } = await sql<{ top: string }>`
    select top from (select ${top} as top) box where ${gapBetween(box.since_id, sql`top`)}`.execute(db)
  return rows[0] === undefined ? null : Number(rows[0].top)
}

export const messagesQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async (input: Queries["messages"]["input"]): Promise<Queries["messages"]["output"]> => {
    const held = await heldBack(db, input)
    // The edge waits instead, so that no place among this node's queries is occupied meanwhile.
    if (held !== null) return { held, total: 0, items: [] }
    const [{ total }, rows] = await Promise.all([
      db.selectFrom(boxOf(db, input).as("m")).select(COUNTED).executeTakeFirstOrThrow(),
      messageRows(db, listOf(db, input)).execute()
    ])
    return {
      total: totalBeside(Number(total), rows.length, input),
      items: rows.map((row) => messageOf(row, baseUrl))
    }
  }

export const messageQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ agent, id }: Queries["message"]["input"]): Promise<Queries["message"]["output"]> => {
    const own = db
      .selectFrom("messages")
      .selectAll()
      .where("id", "=", String(id))
      .where((where) => where.or([where("sender", "=", agent), where("recipient", "=", agent)]))
    const row = await messageRows(db, own).executeTakeFirst()
    return row === undefined ? null : messageOf(row, baseUrl)
  }

/** New messages since a time, the newest first, and the number of those that are not shown, up to `counted`. */
export const messagesSince = async (
  db: Kysely<Database>,
  agent: string,
  since: Date,
  bounds: { readonly shown: number; readonly counted: number },
  baseUrl: string
): Promise<{ readonly items: ReadonlyArray<Message>; readonly more: number }> => {
  const inbox: Box = { agent, box: "inbox", with: null, unread: false, since_id: 0 }
  const sinceThen = newest(found(db, inbox, "recipient")).where("created_at", ">", since)
  const [rows, { total }] = await Promise.all([
    messageRows(db, sinceThen.limit(bounds.shown)).execute(),
    db.selectFrom(sinceThen.limit(bounds.counted).as("m")).select(COUNTED).executeTakeFirstOrThrow()
  ])
  return { items: rows.map((row) => messageOf(row, baseUrl)), more: Math.max(0, Number(total) - bounds.shown) }
}
