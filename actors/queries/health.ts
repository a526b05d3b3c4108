/** The actor side's own checks (contract 7): what it sees of the bus, of Postgres and of the read models. */
import type { JetStreamManager } from "@nats-io/jetstream"
import { type Kysely, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import { streams } from "../../schemas/subjects.ts"
import type { Database } from "../database.ts"

type Check = Queries["health"]["output"]["checks"][string]

/** Seconds that the oldest commit may wait for the read models before something is wrong. */
const LAG_WARN_SECONDS = 5

interface Marks {
  readonly watermark: number
  readonly faults: number
}

const marksOf = async (db: Kysely<Database>): Promise<Marks | null> => {
  try {
    const { rows } = await sql<{ seq: string | null; faults: string }>`
      select (select seq from projections where name = 'main') as seq, (select count(*) from projection_faults) as faults`.execute(db)
    return { watermark: Number(rows[0]?.seq ?? 0), faults: Number(rows[0]?.faults ?? 0) }
  } catch {
    return null
  }
}

/** Age in seconds of the first commit behind the watermark; 0 when there is none. */
const lagSeconds = async (manager: JetStreamManager, watermark: number, head: number): Promise<number> => {
  if (head <= watermark) return 0
  const next = await manager.direct.getMessage(streams.events, { seq: watermark + 1, next_by_subj: ">" }).catch(() => null)
  return next === null ? 0 : Math.max(0, (Date.now() - next.time.getTime()) / 1000)
}

export const healthQuery = (db: Kysely<Database>, manager: JetStreamManager) => async (): Promise<Queries["health"]["output"]> => {
  const time = new Date().toISOString()
  const check = (status: Check["status"], observed: number | null, unit: string, message: string | null): Check => ({ status, observed, unit, time, message })
  const [head, marks] = await Promise.all([
    manager.streams.info(streams.events).then((info) => info.state.last_seq, () => null),
    marksOf(db)
  ])
  const checks: Record<string, Check> = {
    jetstream: head === null ? check("fail", null, "sequence", "the log does not answer") : check("pass", head, "sequence", null),
    db: marks === null ? check("fail", null, "sequence", "Postgres does not answer") : check("pass", marks.watermark, "sequence", null)
  }
  if (head !== null && marks !== null) {
    const lag = await lagSeconds(manager, marks.watermark, head)
    checks["read_models"] = check(lag > LAG_WARN_SECONDS ? "warn" : "pass", lag, "seconds behind", lag > LAG_WARN_SECONDS ? "the read models stand still" : null)
    checks["projection_faults"] = check(marks.faults > 0 ? "warn" : "pass", marks.faults, "commits passed over", marks.faults > 0 ? "see the table projection_faults" : null)
  }
  const failed = Object.values(checks).some((one) => one.status !== "pass")
  return { status: head === null ? "down" : failed ? "degraded" : "ok", checks }
}
