/** Reads of the log of an agent's deliveries (spec 2.8, 4.4). */
import type { Kysely } from "kysely"
import type { Clock } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Limits } from "../../schemas/limits.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import type { DeliveryAttempt, DeliveryStatus } from "../../schemas/webhook/api.ts"
import type { Database } from "../tables/database.ts"
import { COUNTED, pageOf } from "../tables/page.ts"

/** The most attempts of a delivery that are shown, the newest ones. */
const ATTEMPTS_SHOWN_MAX = 50

export const deliveriesQuery =
  (clock: Clock.Clock, db: Kysely<Database>, { webhook }: Limits) =>
  async (input: Queries["deliveries"]["input"]): Promise<Queries["deliveries"]["output"]> => {
    const found = db
      .selectFrom("deliveries")
      .where("agent", "=", input.agent)
      .where("created_at", ">", new Date(wallMs(clock) - webhook.log_seconds * 1000))
    const { total, rows } = await pageOf(found.select(COUNTED), found.selectAll().orderBy("id", "desc"), input)
    return {
      total,
      items: rows.map((row) => ({
        id: Number(row.id),
        notification_id: Number(row.id),
        type: row.type,
        status: row.status as DeliveryStatus,
        attempts: row.attempts,
        response_code: row.response_code,
        last_error: row.last_error,
        next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
        created_at: row.created_at.toISOString(),
        delivered_at: row.delivered_at?.toISOString() ?? null,
        attempts_log: (row.attempts_log as ReadonlyArray<DeliveryAttempt>).slice(-ATTEMPTS_SHOWN_MAX)
      }))
    }
  }
