/** The actor side's own checks (contract 7): what it sees of the bus, of Postgres and of the read models' lag. */
import type { JetStreamManager } from "@nats-io/jetstream"
import { type Kysely, sql } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import { streams } from "../../schemas/subjects.ts"
import type { Database } from "../database.ts"

type Checks = Queries["health"]["output"]["checks"]

/** Commits that the read models may be behind before it is worth a warning. */
const LAG_WARN = 5000

export const healthQuery = (db: Kysely<Database>, manager: JetStreamManager) => async (): Promise<Queries["health"]["output"]> => {
  const time = new Date().toISOString()
  const [head, mark] = await Promise.all([
    manager.streams.info(streams.events).then((info) => info.state.last_seq, () => null),
    sql<{ seq: string }>`select seq from projections where name = 'main'`.execute(db).then((result) => Number(result.rows[0]?.seq ?? 0), () => null)
  ])
  const checks: Record<string, Checks[string]> = {
    jetstream: { status: head === null ? "fail" : "pass", observed: head, unit: "sequence", time, message: head === null ? "the log does not answer" : null },
    db: { status: mark === null ? "fail" : "pass", observed: mark, unit: "sequence", time, message: mark === null ? "Postgres does not answer" : null }
  }
  if (head !== null && mark !== null) {
    const lag = Math.max(0, head - mark)
    checks["read_models"] = { status: lag > LAG_WARN ? "warn" : "pass", observed: lag, unit: "commits behind", time, message: null }
  }
  const failed = Object.values(checks).some((check) => check.status !== "pass")
  return { status: head === null ? "down" : failed ? "degraded" : "ok", checks }
}
