/**
 * The table of deliveries. A row is inserted when a delivery is queued, updated by later events of the delivery, and
 * deleted with the account (spec 3.1). It is kept for the time `webhook.log_seconds` (contract 4).
 */
import { sql, type Transaction } from "kysely"
import { AGENT_EVENTS, AgentEvent } from "../state.ts"
import type { Database } from "../../tables/database.ts"
import { DELIVERY_EVENTS, DeliveryEvent } from "../../delivery/noun.ts"
import { type Logged, logProjection } from "../../projections/projection.ts"
import { rowsJson } from "../../tables/rows.ts"
import { eventsOf } from "../../engine/events.ts"
import { iso } from "../../../schemas/iso.ts"

interface Attempt {
  readonly attempt: number
  readonly at: string
  readonly response_code: number | null
  readonly error: string | null
  readonly duration_ms: number
}

interface Change {
  readonly id: number
  status: string
  next_attempt_at: string | null
  /** True if the batch has an attempt. Only then the fields below are written. */
  attempted: boolean
  attempts: number
  response_code: number | null
  last_error: string | null
  delivered_at: string | null
  attempts_log: Array<Attempt>
}

interface Row extends Omit<Change, "attempted"> {
  readonly agent: string
  readonly type: string
  readonly created_at: string
}

const NOTHING_YET = {
  attempted: false,
  attempts: 0,
  response_code: null,
  last_error: null,
  delivered_at: null
} as const

class Batch {
  readonly rows = new Map<number, Row>()
  readonly changes = new Map<number, Change>()
  readonly deleted = new Set<string>()

  get empty(): boolean {
    return this.rows.size + this.changes.size + this.deleted.size === 0
  }

  take(id: number, at: number, event: DeliveryEvent): void {
    if (event.type === "delivery.queued") {
      const { attempted: _attempted, ...nothing } = NOTHING_YET
      const begun = {
        id,
        agent: event.agent,
        type: event.about,
        status: "pending",
        created_at: iso(at),
        next_attempt_at: iso(at),
        attempts_log: [],
        ...nothing
      }
      this.rows.set(id, begun)
      return
    }
    // The event only queues the attempt. Until the attempt is made, the row shows the time at which it was due.
    if (event.type === "delivery.due") return
    change(this.rows.get(id) ?? this.changed(id), at, event)
  }

  private changed(id: number): Change {
    const known = this.changes.get(id)
    if (known !== undefined) return known
    const fresh: Change = { id, status: "pending", next_attempt_at: null, attempts_log: [], ...NOTHING_YET }
    this.changes.set(id, fresh)
    return fresh
  }
}

const change = (
  row: Row | Change,
  at: number,
  event: Exclude<DeliveryEvent, { type: "delivery.queued" | "delivery.due" }>
): void => {
  switch (event.type) {
    case "delivery.attempted": {
      const { attempt, response_code, error, duration_ms, next_attempt_at } = event
      const next = next_attempt_at === null ? null : iso(next_attempt_at)
      Object.assign(row, {
        attempted: true,
        attempts: attempt,
        response_code,
        last_error: error,
        status: event.status,
        next_attempt_at: next
      })
      row.delivered_at = event.status === "delivered" ? iso(at) : null
      row.attempts_log.push({ attempt, at: iso(at), response_code, error, duration_ms })
      return
    }
    case "delivery.put_off":
      Object.assign(row, { status: "pending", next_attempt_at: iso(event.next_attempt_at) })
      return
    case "delivery.dropped":
      Object.assign(row, { status: "dropped", next_attempt_at: null })
      return
    case "delivery.redelivered":
      Object.assign(row, { status: "pending", next_attempt_at: iso(at) })
  }
}

const batchOf = (commits: ReadonlyArray<Logged>): Batch => {
  const batch = new Batch()
  for (const { kind, id, commit } of commits) {
    if (kind === "delivery")
      for (const event of eventsOf(DeliveryEvent, commit)) batch.take(Number(id), commit.at, event)
    if (kind === "agent" && eventsOf(AgentEvent, commit).some((event) => event.type === "agent.deleted"))
      batch.deleted.add(id)
  }
  return batch
}

const writeDeliveries = async (trx: Transaction<Database>, batch: Batch): Promise<void> => {
  if (batch.rows.size > 0) {
    await sql`
      insert into deliveries select * from jsonb_populate_recordset(null::deliveries, ${rowsJson([...batch.rows.values()])}::jsonb)
      on conflict (id) do nothing`.execute(trx)
  }
  if (batch.changes.size > 0) {
    await sql`
      update deliveries d set
        status = p.status, next_attempt_at = p.next_attempt_at, attempts_log = d.attempts_log || p.attempts_log,
        attempts = case when p.attempted then p.attempts else d.attempts end,
        response_code = case when p.attempted then p.response_code else d.response_code end,
        last_error = case when p.attempted then p.last_error else d.last_error end,
        delivered_at = case when p.attempted then p.delivered_at else d.delivered_at end
      from jsonb_to_recordset(${rowsJson([...batch.changes.values()])}::jsonb) as p(
        id bigint, status text, next_attempt_at timestamptz, attempted boolean, attempts integer, response_code integer,
        last_error text, delivered_at timestamptz, attempts_log jsonb
      ) where d.id = p.id`.execute(trx)
  }
  if (batch.deleted.size > 0)
    await trx
      .deleteFrom("deliveries")
      .where("agent", "in", [...batch.deleted])
      .execute()
}

export const deliveryProjection = logProjection({
  name: "delivery",
  version: 1,
  reads: [
    { kind: "delivery", events: DELIVERY_EVENTS },
    { kind: "agent", events: AGENT_EVENTS }
  ],
  tables: [
    {
      name: "deliveries",
      kind: "delivery",
      actor: "id",
      kept: {
        of: "agent",
        order: "id",
        at: "created_at",
        bounds: ({ webhook: { log_seconds } }) => ({ seconds: log_seconds, newest: 0 })
      }
    }
  ],
  changes: (commits) => {
    const batch = batchOf(commits)
    return batch.empty ? null : (trx) => writeDeliveries(trx, batch)
  }
})
