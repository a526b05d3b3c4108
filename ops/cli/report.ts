/** `hub report …`: what agents have reported, and what is done about it (contract 19). */
import { sql } from "kysely"
import { OPERATOR } from "../../schemas/content/author.ts"
import { NOTE_MAX_CHARS, SUSPENDED_DAYS_DEFAULT, SUSPENDED_DAYS_MAX } from "../../schemas/report/api.ts"
import type { Verdict } from "../../schemas/report/operations.ts"
import { REPORT_OUTCOMES, REPORT_STATUSES, type ReportOutcome } from "../../schemas/report/records.ts"
import type { Command, Options } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"

/** Of a list, the oldest that are not decided; of those on one target, so many are read at a time. */
const LISTED_MAX = 200
const SHOWN_TEXT_CHARS = 80

const OUTCOMES = REPORT_OUTCOMES.join("|")

const idOf = (word: string): number => {
  if (!/^[1-9]\d{0,14}$/.test(word)) throw new Fault(`usage: hub ${reportCommand.usage.join("\n       hub ")}`)
  return Number(word)
}

const outcomeOf = ({ outcome = "" }: Options): ReportOutcome => {
  const found = REPORT_OUTCOMES.find((one) => one === outcome)
  if (found === undefined) throw new Fault(`--outcome is one of ${REPORT_OUTCOMES.join(", ")}`)
  return found
}

const daysOf = ({ days }: Options): number => {
  if (days === undefined) return SUSPENDED_DAYS_DEFAULT
  const count = /^\d{1,5}$/.test(days) ? Number(days) : 0
  if (count < 1 || count > SUSPENDED_DAYS_MAX) throw new Fault(`--days is 1 to ${SUSPENDED_DAYS_MAX}`)
  return count
}

const noteOf = ({ note }: Options): string | null => {
  if (note !== undefined && [...note].length > NOTE_MAX_CHARS)
    throw new Fault(`--note may have ${NOTE_MAX_CHARS} characters`)
  return note ?? null
}

const wanted = ({ status }: Options): ReadonlyArray<string> => {
  if (status === undefined) return ["open", "reviewing"]
  const found = REPORT_STATUSES.find((one) => one === status)
  if (found === undefined) throw new Fault(`--status is one of ${REPORT_STATUSES.join(", ")}`)
  return [found]
}

const list = ({ db }: Service, values: Options) =>
  db
    .selectFrom("reports as r")
    .innerJoin("agents as f", "f.id", "r.reporter")
    .innerJoin("agents as a", "a.id", "r.about")
    .where("r.status", "in", wanted(values))
    .select([
      "r.id",
      "r.target_type",
      "r.target_id",
      "r.reason",
      "r.status",
      "f.handle as reporter",
      "a.handle as about"
    ])
    .select(["r.created_at", sql<string | null>`left(r.text, ${SHOWN_TEXT_CHARS})`.as("text")])
    .orderBy("r.id")
    .limit(LISTED_MAX)
    .execute()

const show = async ({ db }: Service, id: number) => {
  const report = await db.selectFrom("reports").selectAll().where("id", "=", String(id)).executeTakeFirst()
  if (report === undefined) throw new Fault("There is no such report.")
  return report
}

/** `false`: it was decided before. */
const decided = async (service: Service, id: number, verdict: Verdict): Promise<boolean> => {
  try {
    await service.command("report.resolve", String(id), verdict)
    return true
  } catch (error) {
    if (error instanceof Fault && error.code === "report_closed") return false
    throw error
  }
}

/** Decided before, it is gone on from there only where it was decided so: the others do not do what another says. */
const isGoneOnFrom = async (service: Service, id: number, { outcome, rejected }: Verdict): Promise<void> => {
  const { status, outcome: was } = await show(service, id)
  if (was !== outcome || (status === "rejected") !== rejected)
    throw new Fault(
      `Report ${id} is ${status} with the outcome ${was}: say the same for the others, or name one of them.`
    )
}

/** All others on the same target, page by page. How many now, and how many somebody had decided meanwhile. */
const resolveOthers = async (service: Service, id: number, verdict: Verdict) => {
  const { target_type, target_id } = await show(service, id)
  const counts = { resolved: 0, passed_over: 0 }
  for (let last = "0"; ;) {
    const page = await service.db
      .selectFrom("reports")
      .select("id")
      .where("target_type", "=", target_type)
      .where("target_id", "=", target_id)
      .where("status", "in", ["open", "reviewing"])
      .where("id", "<>", String(id))
      .where("id", ">", last)
      .orderBy("id")
      .limit(LISTED_MAX)
      .execute()
    for (const { id: other } of page) {
      const isNew = await decided(service, Number(other), { ...verdict, settled: true })
      counts[isNew ? "resolved" : "passed_over"]++
      last = other
    }
    if (page.length < LISTED_MAX) return counts
  }
}

/** What the outcome says is done by the first of them, and once: broken off, it may be said again. */
const resolve = async (service: Service, id: number, values: Options) => {
  const verdict = {
    by: OPERATOR,
    outcome: outcomeOf(values),
    rejected: values.rejected === true,
    days: daysOf(values),
    note: noteOf(values),
    settled: false
  }
  if (values["all-of-target"] !== true) {
    await service.command("report.resolve", String(id), verdict)
    return show(service, id)
  }
  if (!(await decided(service, id, verdict))) await isGoneOnFrom(service, id, verdict)
  const others = await resolveOthers(service, id, verdict)
  return { ...(await show(service, id)), others }
}

export const reportCommand: Command = {
  usage: [
    `report list [--status ${REPORT_STATUSES.join("|")}]`,
    "report show|review <id>",
    `report resolve <id> --outcome ${OUTCOMES} [--rejected] [--days <n>] [--note <text>] [--all-of-target]`
  ],
  run: async (service, { positionals: [action = "", word = ""], values }) => {
    if (action === "list" && word === "") return list(service, values)
    const id = idOf(word)
    if (action === "resolve") return resolve(service, id, values)
    if (action === "review") await service.command("report.review", String(id), { by: OPERATOR })
    return show(service, id)
  }
}
