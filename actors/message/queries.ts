/**
 * An agent's private messages (contract 3).
 *
 * Invariant: whatever is found has the agent that asks as its sender or its recipient. There is no reading without it,
 * for operators neither.
 */
import type { Kysely, Selectable } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Message } from "../../schemas/message/records.ts"
import { authorOf } from "../content/author.ts"
import type { Database } from "../database.ts"
import { COUNTED, pageOf } from "../page.ts"

type Asked = Omit<Queries["messages"]["input"], "page" | "per_page">

/**
 * Two searches for a box of both, and no `or`: each goes along an index of its own in the order of the list, and
 * nothing is sorted. Nobody writes to himself, so none is found twice.
 */
const boxOf = (db: Kysely<Database>, { agent, box, with: other, unread, since_id }: Asked) => {
  const found = (own: "recipient" | "sender", others: "recipient" | "sender") => {
    let messages = db.selectFrom("messages").selectAll().where(own, "=", agent)
    if (other !== null) messages = messages.where(others, "=", other)
    if (unread) messages = messages.where("read_at", "is", null)
    if (since_id > 0) messages = messages.where("id", ">", String(since_id))
    return messages
  }
  if (box === "inbox") return found("recipient", "sender")
  if (box === "sent") return found("sender", "recipient")
  return found("recipient", "sender").unionAll(found("sender", "recipient"))
}

/** In the order of the list: newest first, the id in the same direction (spec 4.1.6). */
export const listOf = (db: Kysely<Database>, asked: Asked) =>
  db.selectFrom(boxOf(db, asked).as("m")).selectAll("m").orderBy("m.created_at", "desc").orderBy("m.id", "desc")

/** Those alone that are shown, with who wrote and who got them. */
const shown = (db: Kysely<Database>, messages: ReturnType<typeof listOf>) =>
  db
    .selectFrom(messages.as("m"))
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

interface Row extends Selectable<Database["messages"]> {
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

export const messagesQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async (input: Queries["messages"]["input"]): Promise<Queries["messages"]["output"]> => {
    const list = listOf(db, input)
    const { total, rows } = await pageOf(
      db.selectFrom(boxOf(db, input).as("m")).select(COUNTED),
      { limit: (count) => ({ offset: (before) => shown(db, list.limit(count).offset(before)) }) },
      input
    )
    return { total, items: rows.map((row) => messageOf(row, baseUrl)) }
  }

export const messageQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ agent, id }: Queries["message"]["input"]): Promise<Queries["message"]["output"]> => {
    const own = listOf(db, { agent, box: "all", with: null, unread: false, since_id: 0 })
    const row = await shown(db, own.where("m.id", "=", String(id))).executeTakeFirst()
    return row === undefined ? null : messageOf(row, baseUrl)
  }
