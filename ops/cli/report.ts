/** `hub report …`: lists the reports of agents and decides them (contract 19). */
import { OPERATOR } from "../../schemas/content/author.ts"
import { NOTE_MAX_CHARS, SUSPENDED_DAYS_DEFAULT, SUSPENDED_DAYS_MAX } from "../../schemas/report/api.ts"
import { REPORT_OUTCOMES, REPORT_STATUSES, type ReportOutcome } from "../../schemas/report/records.ts"
import { reportNumbered, reportsIn, resolveReport, UNDECIDED } from "../moderation/reports.ts"
import type { Arguments, Command, Options } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"

const OUTCOMES = REPORT_OUTCOMES.join("|")

const idOf = ({ positionals: [word = ""] }: Arguments): number => {
  if (!/^[1-9]\d{0,14}$/.test(word)) throw new Fault(`${word} is no number of a report`)
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
  if (status === undefined) return UNDECIDED
  const found = REPORT_STATUSES.find((one) => one === status)
  if (found === undefined) throw new Fault(`--status is one of ${REPORT_STATUSES.join(", ")}`)
  return [found]
}

const resolve = (service: Service, id: number, values: Options) => {
  const verdict = {
    by: OPERATOR,
    outcome: outcomeOf(values),
    rejected: values.rejected === true,
    days: daysOf(values),
    note: noteOf(values),
    settled: false
  }
  return resolveReport(service, id, verdict, values["all-of-target"] === true)
}

export const reportCommands: ReadonlyArray<Command> = [
  {
    usage: [`report list [--status ${REPORT_STATUSES.join("|")}]`],
    run: (service, { values }) => reportsIn(service, wanted(values))
  },
  {
    usage: ["report show|review <id>"],
    run: async (service, args) => {
      const id = idOf(args)
      if (args.verb === "review") await service.command("report.review", String(id), { by: OPERATOR })
      return reportNumbered(service, id)
    }
  },
  {
    usage: [`report resolve <id> --outcome ${OUTCOMES} [--rejected] [--days <n>] [--note <text>] [--all-of-target]`],
    run: async (service, args) => resolve(service, idOf(args), args.values)
  }
]
