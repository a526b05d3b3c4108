/** Facts about the whole service: its counts (spec 4.2; contract 7), and its read models' watermarks. */
import { type Kysely, sql } from "kysely"
import type { Clock } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { ContentCounts } from "../content/noun.ts"
import type { Database } from "../tables/database.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"

const DAY_MS = 86_400_000

export const statsQuery =
  (clock: Clock.Clock, db: Kysely<Database>, content: ContentCounts): (() => Promise<Queries["stats"]["output"]>) =>
  async () => {
    const since = new Date(wallMs(clock) - DAY_MS)
    const agents = db
      .selectFrom("agents")
      .select([
        sql<string>`count(*)`.as("agents"),
        sql<string>`count(*) filter (where last_seen_at > ${since})`.as("seen")
      ])
      .where("status", "in", ["active", "suspended"])
      .executeTakeFirstOrThrow()
    const [row, posts, threads, replies, messages, votes] = await Promise.all([
      agents,
      content.posts(),
      content.threads(),
      content.replies(),
      content.messages(),
      content.votes()
    ])
    const counts = { posts, threads, replies, messages, votes }
    return { agents: Number(row.agents), ...counts, agents_seen_24h: Number(row.seen) }
  }

/** Projections that no public answer uses. A new projection counts as used until it is listed here. */
const OWN_PROJECTIONS = ["delivery", "message", "notification", "report", "seen", "vote"]

export const marksQuery =
  (db: Kysely<Database>): (() => Promise<Queries["marks"]["output"]>) =>
  async () => {
    const rows = await db
      .selectFrom("projections")
      .select(["name", "seq", "version"])
      .where("name", "not in", OWN_PROJECTIONS)
      .orderBy("name")
      .execute()
    return rows.map(({ name, seq, version }) => `${name} ${version} ${seq}`).join(", ")
  }

export const watermarkQuery =
  (db: Kysely<Database>) =>
  async ({ projection }: Queries["watermark"]["input"]): Promise<Queries["watermark"]["output"]> => {
    const row = await db.selectFrom("projections").select("seq").where("name", "=", projection).executeTakeFirst()
    return Number(row?.seq ?? 0)
  }
