/** Reports as operators list and decide them, by `hub report` and in the console (contract 19). */
import { type Kysely, sql } from "kysely"
import { eventsOf } from "../../actors/engine/events.ts"
import { ReportEvent } from "../../actors/report/noun.ts"
import type { Database } from "../../actors/tables/database.ts"
import type { Verdict } from "../../schemas/report/operations.ts"
import { delay, monotonicMs } from "../../schemas/runtime/clock.ts"
import type { Service } from "../cli/connection.ts"
import { Fault } from "../cli/fault.ts"
import { historyOf } from "../replay/fold.ts"

type Tables = Pick<Service, "db">
type Deciding = Tables & Pick<Service, "command" | "log" | "clock">

/** The statuses of reports that are not decided yet. */
export const UNDECIDED = ["open", "reviewing"] as const
/** The most reports of a list, and of one page when all reports on a target are decided. */
const PAGE = 200
const SHOWN_TEXT_CHARS = 80
/** The longest wait in ms until a decision's outcome is carried out or refused, and the time between two looks. */
const CARRIED_OUT_WITHIN_MS = 15_000
const LOOK_AGAIN_MS = 50

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

/** Decides the report. Returns `false` if it is decided already. */
const decided = async ({ command }: Deciding, id: number, verdict: Verdict): Promise<boolean> => {
  try {
    await command("report.resolve", String(id), verdict)
    return true
  } catch (error) {
    if (error instanceof Fault && error.code === "report_closed") return false
    throw error
  }
}

type Resolved = Extract<ReportEvent, { readonly type: "report.resolved" }>
type Fate = { readonly type: "pending" | "carried_out" } | { readonly type: "refused"; readonly why: string }

interface Decision {
  readonly resolved: Resolved
  readonly fate: Fate
}

const decisionAfter = (last: Decision | null, event: ReportEvent): Decision | null => {
  if (event.type === "report.resolved") return { resolved: event, fate: { type: "pending" } }
  if (last === null) return null
  if (event.type === "report.carried_out") return { ...last, fate: { type: "carried_out" } }
  return event.type === "report.not_carried_out" ? { ...last, fate: { type: "refused", why: event.why } } : last
}

/** The report's last decision and its fate by the log; `null` if there is no decision. */
const lastDecision = async ({ log }: Pick<Deciding, "log">, id: number): Promise<Decision | null> => {
  let last: Decision | null = null
  for await (const { commit } of historyOf(log, "report", String(id)))
    last = eventsOf(ReportEvent, commit).reduce(decisionAfter, last)
  return last
}

/** Like `lastDecision`, but waits while the outcome is pending, for at most `CARRIED_OUT_WITHIN_MS`. */
const settledDecision = async (parts: Deciding, id: number): Promise<Decision | null> => {
  const { clock } = parts
  const end = monotonicMs(clock) + CARRIED_OUT_WITHIN_MS
  for (;;) {
    const last = await lastDecision(parts, id)
    if (last?.fate.type !== "pending" || monotonicMs(clock) >= end) return last
    await delay(clock, LOOK_AGAIN_MS)
  }
}

/** Throws if the outcome of the report's last decision was refused. `more` ends the message. */
const notRefused = (id: number, last: Decision | null, more = ""): void => {
  if (last?.fate.type === "refused")
    throw new Fault(`The outcome of report ${id} was refused, so it is in review again. ${last.fate.why}${more}`)
}

/**
 * Throws unless this outcome of the report is in force, so that the reporters of the others are not told an outcome
 * that was refused, or a different one.
 */
const inForce = async (parts: Deciding, id: number, { outcome, rejected }: Verdict): Promise<void> => {
  const last = await settledDecision(parts, id)
  notRefused(id, last, " The other reports on its target were not decided.")
  if (last?.fate.type !== "carried_out")
    throw new Fault(`The outcome of report ${id} is not in force yet. Repeat this for the others on its target.`)
  const { status, outcome: was } = last.resolved
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
 * Decides a report. With `all`, the other reports on the same target are decided too, once the outcome of the first one
 * is in force. Only the first one has the effect. A call with `all` that was interrupted, or that found the outcome not
 * in force yet, may be repeated. Throws a Fault if the outcome was refused, or if the report was decided before with
 * another outcome. No other report is decided then.
 */
export const resolveReport = async (parts: Deciding, id: number, verdict: Verdict, all: boolean) => {
  if (!all) {
    await parts.command("report.resolve", String(id), verdict)
    notRefused(id, await settledDecision(parts, id))
    return reportNumbered(parts, id)
  }
  await decided(parts, id, verdict)
  await inForce(parts, id, verdict)
  const others = await resolveOthers(parts, id, verdict)
  return { ...(await reportNumbered(parts, id)), others }
}
