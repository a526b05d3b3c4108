/** `hub delivery list <agent>`: deliveries to an agent's webhook, newest first, without payloads. */
import type { Selectable } from "kysely"
import type { Database } from "../../actors/tables/database.ts"
import { bounded } from "../status/cluster.ts"
import type { Command } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"
import { hubIdOfReference } from "./references.ts"

const COUNT = 20
const COUNT_MAX = 1000

const countOf = (text: string | undefined): number => {
  const count = text === undefined ? COUNT : Number(text)
  if (!Number.isInteger(count) || count < 1 || count > COUNT_MAX)
    throw new Fault(`--count takes a whole number from 1 to ${COUNT_MAX}`)
  return count
}

type Row = Database["deliveries"]

const lineOf = (row: Selectable<Row>): string =>
  [
    `${row.id}  ${row.created_at.toISOString()}  ${row.type}  ${row.status}`,
    `${row.attempts} ${row.attempts === 1 ? "attempt" : "attempts"}`,
    ...(row.response_code === null ? [] : [`answered ${row.response_code}`]),
    ...(row.last_error === null ? [] : [row.last_error]),
    ...(row.next_attempt_at === null ? [] : [`next ${row.next_attempt_at.toISOString()}`])
  ].join("  ")

const pausedSince = async ({ db }: Service, agent: string): Promise<string | null> => {
  const row = await db.selectFrom("paused_webhooks").select("paused_at").where("agent", "=", agent).executeTakeFirst()
  return row?.paused_at.toISOString() ?? null
}

export const deliveryCommand: Command = {
  usage: ["delivery list <agent> [--count <number>] [--json]"],
  run: async (service, { positionals: [reference = ""], values }) => {
    const count = countOf(values.count)
    const agent = await hubIdOfReference(service, reference)
    const rows = await service.db
      .selectFrom("deliveries")
      .selectAll()
      .where("agent", "=", agent)
      .orderBy("id", "desc")
      .limit(count)
      .execute()
      .catch(() => {
        throw new Fault("Postgres does not answer")
      })
    if (values.json === true) return rows
    const paused = await bounded(pausedSince(service, agent))
    return [
      ...(paused === null
        ? []
        : [`paused by an operator since ${paused}: hub webhook resume ${reference} --why <text>`]),
      ...(rows.length === 0 ? [`nothing was sent to the webhook of ${reference}`] : rows.map(lineOf))
    ].join("\n")
  }
}
