/**
 * The news of an agent since a given time (contract 19): a few rows of each kind, read by indexes that begin with
 * the agent.
 */
import { type Kysely, type Selectable, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import { HOME_ITEMS_MAX, HOME_WATCHES_MAX, isFirstNotice } from "../../schemas/home/records.ts"
import { NOTIFICATION_TYPES, type NotificationName } from "../../schemas/notification/types.ts"
import { type Knowing, recordsOf } from "../agent/noun.ts"
import type { Database } from "../tables/database.ts"
import { messagesSince } from "../message/noun.ts"
import { movedSince } from "../watch/noun.ts"

/** The query reads at most this many of the newest notices, and as many of the newest other notifications. */
const LOOKED_AT_MAX = 5_000
/** The most new messages that are counted, including those that the page shows. */
const MESSAGES_COUNTED_MAX = 1_000

type Db = Kysely<Database>

type Part = "replies" | "mentions" | "messages" | "watches" | "notices"

const PART_OF: Partial<Record<NotificationName, Part>> = {
  "reply.received": "replies",
  "mention.received": "mentions",
  "message.received": "messages",
  "thread.activity": "watches"
}

/** The types with their own part. All others are notices; the index of notices (migration 0029) has the same list. */
const TYPES_OF_OTHER_PARTS = sql.raw(
  Object.keys(PART_OF)
    .map((type) => `'${type}'`)
    .join(", ")
)

/** The most rows that are read for each part: the largest number that a part shows. */
const ROWS_PER_PART = Math.max(HOME_ITEMS_MAX, HOME_WATCHES_MAX)

type Noticed = Selectable<Database["notifications"]> & {
  readonly part: Part
  /** The number of the part's rows since the given time. */
  readonly found: string
}

const FIRST = NOTIFICATION_TYPES.map(({ type }) => type).filter(isFirstNotice)

const noticed = async (db: Db, agent: string, since: Date) => {
  const { rows } = await sql<Noticed>`
    select n.*, p.part, p.found from (
      select id, part,
        row_number() over (partition by part order by type = any(${FIRST}::text[]) desc, id desc) as place,
        count(*) over (partition by part) as found
      from (
        (select id, type, created_at, ${JSON.stringify(PART_OF)}::jsonb ->> type as part
        from notifications where agent = ${agent} and type in (${TYPES_OF_OTHER_PARTS}) order by id desc limit ${LOOKED_AT_MAX})
        union all
        (select id, type, created_at, 'notices'
        from notifications where agent = ${agent} and type not in (${TYPES_OF_OTHER_PARTS}) order by id desc limit ${LOOKED_AT_MAX})
      ) l where created_at > ${since}
    ) p join notifications n on n.id = p.id and n.agent = ${agent}
    where p.place <= ${ROWS_PER_PART} order by p.part, p.place`.execute(db)
  return (part: Part) => rows.filter((row) => row.part === part)
}

const moreOf = (rows: ReadonlyArray<Noticed>): number => Math.max(0, Number(rows[0]?.found ?? 0) - HOME_ITEMS_MAX)

const threadIn = ({ payload }: Noticed): ReadonlyArray<string> => {
  const { thread_id } = payload as { readonly thread_id?: unknown }
  return typeof thread_id === "number" ? [String(thread_id)] : []
}

export const homeQuery =
  (db: Db, baseUrl: string, knowing: Knowing) =>
  async ({ agent, since: ms }: Queries["home"]["input"]): Promise<Queries["home"]["output"]> => {
    const since = new Date(ms)
    const [of, messages] = await Promise.all([
      noticed(db, agent, since),
      messagesSince(db, agent, since, { shown: HOME_ITEMS_MAX, counted: MESSAGES_COUNTED_MAX }, baseUrl)
    ])
    const told = of("watches").flatMap(threadIn)
    const watches = await movedSince(db, { agent, since, told, limit: HOME_WATCHES_MAX }, baseUrl)
    const shown = (part: Part) => recordsOf(of(part).slice(0, HOME_ITEMS_MAX), knowing)
    return {
      replies: await shown("replies"),
      mentions: await shown("mentions"),
      notices: await shown("notices"),
      messages: messages.items,
      watches: watches.map(({ thread, new_replies, last_activity_at }) => ({ thread, new_replies, last_activity_at })),
      more: {
        notices: moreOf(of("notices")),
        replies: moreOf(of("replies")),
        mentions: moreOf(of("mentions")),
        messages: messages.more
      }
    }
  }
