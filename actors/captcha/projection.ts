/** The table of captchas: their states, and the people who may answer them. */
import { sql } from "kysely"
import { eventsOf, inventoryOf } from "../engine/events.ts"
import { type Change, type Logged, logProjection } from "../projections/projection.ts"
import { rowsJson } from "../tables/rows.ts"
import { CaptchaEvent } from "./state.ts"

interface Row {
  readonly id: number
  readonly agent: string
  readonly kind: string
  readonly readers: ReadonlyArray<string>
  state: string
  readonly created_at: string
  readonly expires_at: string
}

interface Rows {
  readonly asked: Map<number, Row>
  /** The newest state of captchas of earlier batches. */
  readonly changed: Map<number, string>
}

const stateOf = (event: CaptchaEvent): string | null => {
  switch (event.type) {
    case "captcha.answered":
      return "answered"
    case "captcha.ended":
      return event.state
    case "captcha.reported":
      return event.result
    default:
      return null
  }
}

const rowsOf = (commits: ReadonlyArray<Logged>): Rows => {
  const rows: Rows = { asked: new Map(), changed: new Map() }
  for (const { id: text, commit } of commits) {
    const id = Number(text)
    for (const event of eventsOf(CaptchaEvent, commit)) {
      if (event.type === "captcha.asked") {
        const readers = event.keys.map(({ human }) => human)
        const created_at = new Date(commit.at).toISOString()
        const expires_at = new Date(event.expires_at).toISOString()
        const { agent, kind } = event
        rows.asked.set(id, { id, agent, kind, readers, state: "pending", created_at, expires_at })
        continue
      }
      const state = stateOf(event)
      const row = rows.asked.get(id)
      if (state === null) continue
      if (row === undefined) rows.changed.set(id, state)
      else row.state = state
    }
  }
  return rows
}

const writing =
  ({ asked, changed }: Rows): Change =>
  async (trx) => {
    if (asked.size > 0) {
      await sql`
        insert into captchas select * from jsonb_populate_recordset(null::captchas, ${rowsJson([...asked.values()])}::jsonb)
        on conflict (id) do nothing`.execute(trx)
    }
    if (changed.size > 0) {
      const states = [...changed].map(([id, state]) => ({ id, state }))
      await sql`
        update captchas c set state = n.state
        from jsonb_to_recordset(${rowsJson(states)}::jsonb) as n(id bigint, state text) where c.id = n.id`.execute(trx)
    }
  }

export const captchaProjection = logProjection({
  name: "captcha",
  version: 1,
  reads: [{ kind: "captcha", events: inventoryOf(CaptchaEvent) }],
  tables: [{ name: "captchas", kind: "captcha", actor: "id" }],
  changes: (commits) => writing(rowsOf(commits))
})
