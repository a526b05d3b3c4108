/** Reads the history of an agent's scores from its table (spec 4.5). */
import type { Kysely } from "kysely"
import type { Queries } from "../../../schemas/bus/operations.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { targetRecord } from "../../../schemas/report/records.ts"
import type { Answering } from "../../queries/serve.ts"
import type { Database } from "../../tables/database.ts"
import { EntryRows } from "./projection.ts"

const scoresQuery =
  (db: Kysely<Database>) =>
  async (input: Queries["scores"]["input"]): Promise<Queries["scores"]["output"]> => {
    const rows = await db
      .selectFrom("score_entries")
      .selectAll()
      .where("agent", "=", input.agent)
      .$if(input.before !== null, (query) => query.where("entry", "<", input.before))
      .orderBy("entry", "desc")
      .limit(input.limit)
      .execute()
    return rows.map((row) => ({
      id: row.entry,
      at: row.at.toISOString(),
      score: row.score === "trust" ? "trust" : "reputation",
      delta: row.delta,
      value: row.value,
      reason: row.reason,
      target_type: row.target_type,
      target_id:
        row.target_type === null || row.target_id === null ? null : targetRecord(row.target_type, row.target_id)
    }))
  }

export const tables = [
  {
    name: "score_entries",
    kind: "agent",
    actor: "agent",
    kept: {
      of: "agent",
      order: "entry",
      at: "at",
      bounds: ({ scores: { kept_seconds, kept_newest } }: Limits) => ({ seconds: kept_seconds, newest: kept_newest })
    }
  }
] as const

export const rows = () => new EntryRows()

export const queries = ({ db }: Answering) => ({ scores: scoresQuery(db) })
