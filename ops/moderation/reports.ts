/** Reports as operators list and decide them, by `hub report` and in the console (contract 19). */
import { type Kysely, sql } from "kysely"
import type { Database } from "../../actors/tables/database.ts"
import type { Verdict } from "../../schemas/report/operations.ts"
import type { Service } from "../cli/connection.ts"
import { Fault } from "../cli/fault.ts"

type Tables = Pick<Service, "db">
type Deciding = Tables & Pick<Service, "command">

/** The statuses of reports that are not decided yet. */
export const UNDECIDED = ["open", "reviewing"] as const
/** The most reports of a list, and of one page when all reports on a target are decided. */
const PAGE = 200
const SHOWN_TEXT_CHARS = 80

/** Reports with these statuses and an id above `after`, oldest first. */
export const reportsIn = (
  { db }: Tables,
  statuses: ReadonlyArray<string>,
  { after = 0, max = PAGE }: { readonly after?: number; readonly max?: number } = {}
) =>
  withNames(db)
    .where("r.status", "in", [...statuses])
    .where("r.id", ">", String(after))
    .orderBy("r.id")
    .limit(max)
    .execute()

/** Reports about an agent or its content, newest first. */
export const reportsAbout = ({ db }: Tables, agent: string, max: number) =>
  withNames(db).where("r.about", "=", agent).orderBy("r.id", "desc").limit(max).execute()

const withNames = (db: Kysely<Database>) =>
  db
    .selectFrom("reports as r")
    .innerJoin("agents as f", "f.id", "r.reporter")
    .innerJoin("agents as a", "a.id", "r.about")
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

/** All fields of one report. Throws a Fault if there is none. */
export const reportNumbered = async ({ db }: Tables, id: number) => {
  const report = await db.selectFrom("reports").selectAll().where("id", "=", String(id)).executeTakeFirst()
  if (report === undefined) throw new Fault("There is no such report.")
  return report
}

export const undecidedOn = async ({ db }: Tables, type: string, target: string): Promise<number> => {
  const { count } = await db
    .selectFrom("reports")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("target_type", "=", type)
    .where("target_id", "=", target)
    .where("status", "in", [...UNDECIDED])
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Decides the report. Returns `false` if it was decided before. */
const decided = async ({ command }: Deciding, id: number, verdict: Verdict): Promise<boolean> => {
  try {
    await command("report.resolve", String(id), verdict)
    return true
  } catch (error) {
    if (error instanceof Fault && error.code === "report_closed") return false
    throw error
  }
}

/**
 * Throws if the report was decided before with another outcome, so that the other reports do not get a different one.
 */
const isGoneOnFrom = async (parts: Deciding, id: number, { outcome, rejected }: Verdict): Promise<void> => {
  const { status, outcome: was } = await reportNumbered(parts, id)
  if (was !== outcome || (status === "rejected") !== rejected)
    throw new Fault(
      `Report ${id} is ${status} with the outcome ${was}: say the same for the others, or name one of them.`
    )
}

/**
 * Resolves all other reports on the same target, page by page. Counts those resolved now, and those decided meanwhile.
 */
const resolveOthers = async (parts: Deciding, id: number, verdict: Verdict) => {
  const { target_type, target_id } = await reportNumbered(parts, id)
  const counts = { resolved: 0, passed_over: 0 }
  for (let last = "0"; ;) {
    const page = await parts.db
      .selectFrom("reports")
      .select("id")
      .where("target_type", "=", target_type)
      .where("target_id", "=", target_id)
      .where("status", "in", [...UNDECIDED])
      .where("id", "<>", String(id))
      .where("id", ">", last)
      .orderBy("id")
      .limit(PAGE)
      .execute()
    for (const { id: other } of page) {
      const isNew = await decided(parts, Number(other), { ...verdict, settled: true })
      counts[isNew ? "resolved" : "passed_over"]++
      last = other
    }
    if (page.length < PAGE) return counts
  }
}

/**
 * Decides a report. With `all`, the other reports on the same target are decided too, but only the first one has the
 * effect. An interrupted call with `all` may be repeated. Throws a Fault if the report was decided before with another
 * outcome.
 */
export const resolveReport = async (parts: Deciding, id: number, verdict: Verdict, all: boolean) => {
  if (!all) {
    await parts.command("report.resolve", String(id), verdict)
    return reportNumbered(parts, id)
  }
  if (!(await decided(parts, id, verdict))) await isGoneOnFrom(parts, id, verdict)
  const others = await resolveOthers(parts, id, verdict)
  return { ...(await reportNumbered(parts, id)), others }
}
