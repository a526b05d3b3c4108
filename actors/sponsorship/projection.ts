/** The table of sponsorships. */
import { sql } from "kysely"
import { eventsOf, inventoryOf } from "../engine/events.ts"
import { type Change, type Logged, logProjection } from "../projections/projection.ts"
import { rowsJson } from "../tables/rows.ts"
import { SponsorshipEvent } from "./state.ts"

/** Absent fields stay as they are. */
interface Row {
  readonly id: number
  human?: string
  agent?: string
  role?: string
  status?: string
  verified?: boolean
  created_at?: string
  confirmed_at?: string
  ended_at?: string
}

const changeOf = (event: SponsorshipEvent, at: string): Partial<Row> => {
  switch (event.type) {
    case "sponsorship.declared": {
      const { human, agent, role, verified } = event
      return { human, agent, role, status: "pending", verified, created_at: at }
    }
    case "sponsorship.verified":
      return { verified: true }
    case "sponsorship.confirmed":
      return { status: "confirmed", confirmed_at: at }
    case "sponsorship.dated":
      return {}
    case "sponsorship.ended":
      return { status: event.status, ended_at: at }
  }
}

interface Rows {
  readonly declared: Map<number, Row>
  readonly changed: Map<number, Row>
}

const rowsOf = (commits: ReadonlyArray<Logged>): Rows => {
  const rows: Rows = { declared: new Map(), changed: new Map() }
  for (const { id: text, commit } of commits) {
    const id = Number(text)
    const at = new Date(commit.at).toISOString()
    for (const event of eventsOf(SponsorshipEvent, commit)) {
      const known = rows.declared.get(id) ?? rows.changed.get(id)
      const row: Row = { ...known, id, ...changeOf(event, at) }
      const into = event.type === "sponsorship.declared" || rows.declared.has(id) ? rows.declared : rows.changed
      into.set(id, row)
    }
  }
  return rows
}

const writing =
  ({ declared, changed }: Rows): Change =>
  async (trx) => {
    if (declared.size > 0) {
      await sql`
        insert into sponsorships select * from jsonb_populate_recordset(null::sponsorships, ${rowsJson([...declared.values()])}::jsonb)
        on conflict (id) do nothing`.execute(trx)
    }
    if (changed.size > 0) {
      await sql`
        update sponsorships s set
          status = coalesce(p.status, s.status), verified = coalesce(p.verified, s.verified),
          confirmed_at = coalesce(p.confirmed_at, s.confirmed_at), ended_at = coalesce(p.ended_at, s.ended_at)
        from jsonb_populate_recordset(null::sponsorships, ${rowsJson([...changed.values()])}::jsonb) p
        where s.id = p.id`.execute(trx)
    }
  }

export const sponsorshipProjection = logProjection({
  name: "sponsorship",
  version: 1,
  reads: [{ kind: "sponsorship", events: inventoryOf(SponsorshipEvent) }],
  tables: [{ name: "sponsorships", kind: "sponsorship", actor: "id" }],
  changes: (commits) => writing(rowsOf(commits))
})
