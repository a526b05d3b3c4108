/** What is new for an agent since a moment (contract 19): a few rows of each, by indexes that begin with the agent. */
import { type Kysely, type Selectable, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import { HOME_ITEMS_MAX, HOME_WATCHES_MAX } from "../../schemas/home/records.ts"
import type { NotificationName } from "../../schemas/notification/types.ts"
import { type Knowing, recordsOf } from "../agent/notification/queries.ts"
import type { Database } from "../database.ts"
import { messagesSince } from "../message/queries.ts"
import { movedSince } from "../watch/queries.ts"

/** Of the newest notifications so many are looked through. */
const LOOKED_AT_MAX = 500

type Db = Kysely<Database>

type Part = "replies" | "mentions" | "messages" | "watches" | "notices"

/** Where what a notification tells of is found; of every other type it stands for itself. */
const PART_OF: Partial<Record<NotificationName, Part>> = {
  "reply.received": "replies",
  "mention.received": "mentions",
  "message.received": "messages",
  "thread.activity": "watches"
}

/** As many of a part as any part shows. */
const EACH_MAX = Math.max(HOME_ITEMS_MAX, HOME_WATCHES_MAX)

type Noticed = Selectable<Database["notifications"]> & { readonly part: Part }

const noticed = async (db: Db, agent: string, since: Date) => {
  const { rows } = await sql<Noticed>`
    select * from (
      select n.*, row_number() over (partition by n.part order by n.id desc) as place from (
        select n.*, coalesce(${JSON.stringify(PART_OF)}::jsonb ->> n.type, 'notices') as part
        from notifications n where n.agent = ${agent} order by n.id desc limit ${LOOKED_AT_MAX}
      ) n where n.created_at > ${since}
    ) n where n.place <= ${EACH_MAX} order by n.id desc`.execute(db)
  return (part: Part) => rows.filter((row) => row.part === part)
}

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
      messagesSince(db, agent, since, HOME_ITEMS_MAX, baseUrl)
    ])
    const told = of("watches").flatMap(threadIn)
    const watches = await movedSince(db, { agent, since, told, limit: HOME_WATCHES_MAX }, baseUrl)
    const shown = (part: Part) => recordsOf(of(part).slice(0, HOME_ITEMS_MAX), knowing)
    return {
      replies: await shown("replies"),
      mentions: await shown("mentions"),
      notices: await shown("notices"),
      messages,
      watches: watches.map(({ thread, new_replies, last_activity_at }) => ({ thread, new_replies, last_activity_at }))
    }
  }
