/** Formats moments as text: one moment, or two with the differences between them. */
import { kindOf } from "../replay/fold.ts"
import { timeText } from "../replay/report.ts"
import type { InFlight } from "./flight.ts"
import type { Moment } from "./moment.ts"
import type { Counts, OpenFill, RunningCompartment } from "./standing.ts"
import { isOpenReport, UNDONE } from "./statuses.ts"

/** The most entries that a list of reports, fills, compartments or commands shows. */
const SHOWN_MAX = 20

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, one) => total + one, 0)

const countsOf = ({ counts }: Moment, kind: string): Readonly<Record<string, number>> => counts[kind] ?? {}

/** Sorts kinds, those with statuses first. */
const kindsOf = (...all: ReadonlyArray<Counts>): ReadonlyArray<string> => {
  const kinds = [...new Set(all.flatMap((counts) => Object.keys(counts)))]
  const isPlain = (kind: string): number => (all.some((counts) => Object.hasOwn(counts[kind] ?? {}, "")) ? 1 : 0)
  return kinds.toSorted((one, other) => isPlain(one) - isPlain(other) || (one < other ? -1 : 1))
}

const statusesText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted(([, one], [, other]) => other - one)
    .flatMap(([status, count]) => (status === "" ? [] : [`${count} ${status}`]))
    .join(", ")

const headText = ({ seq, last_commit_at: at }: Moment): string =>
  seq === 0 ? "before the first commit" : `#${seq}${at === null ? "" : `, ${timeText(at)}`}`

const openReports = (moment: Moment): number =>
  sum(Object.entries(countsOf(moment, "report")).flatMap(([status, count]) => (isOpenReport(status) ? [count] : [])))

const undone = (moment: Moment): ReadonlyArray<readonly [kind: string, count: number]> =>
  Object.entries(UNDONE).map(([kind, isUndone]) => [
    kind,
    sum(Object.entries(countsOf(moment, kind)).flatMap(([status, count]) => (isUndone(status) ? [count] : [])))
  ])

const listed = (what: string, count: number, lines: ReadonlyArray<string>): ReadonlyArray<string> => [
  `${what} (${count})`,
  ...lines.slice(0, SHOWN_MAX).map((line) => `  ${line}`),
  ...(count > Math.min(lines.length, SHOWN_MAX) ? [`  and ${count - Math.min(lines.length, SHOWN_MAX)} more`] : [])
]

const fillText = ({ agent, fill, entry, status, expires_at }: OpenFill): string =>
  `fill ${fill} of entry ${entry}, agent ${agent}: ${status === "asked" ? "waits for an owner" : "waits for the fill service"} until ${timeText(expires_at)}`

const runningText = ({ id, agent, host, run, started_at: at }: RunningCompartment): string =>
  `${id} of agent ${agent} on host ${host}, run ${run}${at === null ? "" : ` since ${timeText(at)}`}`

const flyingText = ({ cause, set, kind, actor, op, state, by }: InFlight): string =>
  `#${cause}  ${set}: ${op} to ${kind}/${actor}  ${
    by !== null
      ? `done by #${by}`
      : state === "done"
        ? "done"
        : state === "waits"
          ? "still waits"
          : `${state} until now`
  }`

const flightLines = (moment: Moment): ReadonlyArray<string> => {
  const { sets, named, complete } = moment.in_flight
  const work = undone(moment).flatMap(([kind, count]) => (count === 0 ? [] : [`${kind}: ${count} not over`]))
  const reactions = sum(Object.values(sets))
  return [
    ...listed("in flight: work", work.length, work),
    ...listed(`in flight: commands of reactions${complete ? "" : ", at least"}`, reactions, named.map(flyingText))
  ]
}

/** A line that names the kinds whose older actors are no longer in the log. */
const endingLines = ({ counts }: Moment): ReadonlyArray<string> => {
  const ending = kindsOf(counts).filter((kind) => kindOf(kind)?.fold.ends === true)
  return ending.length === 0 ? [] : [`  (${ending.join(", ")}: only those that the log still keeps)`]
}

export const momentText = (moment: Moment): string =>
  [
    `at ${headText(moment)}`,
    "actors",
    ...kindsOf(moment.counts).map((kind) => {
      const counts = countsOf(moment, kind)
      const statuses = statusesText(counts)
      return `  ${kind}  ${sum(Object.values(counts))}${statuses === "" ? "" : `: ${statuses}`}`
    }),
    ...endingLines(moment),
    ...listed(
      "open reports",
      openReports(moment),
      moment.open_reports.map((id) => `report ${id}`)
    ),
    ...listed("pending fills", moment.open_fills.length, moment.open_fills.map(fillText)),
    ...listed("running compartments", moment.running.length, moment.running.map(runningText)),
    ...flightLines(moment)
  ].join("\n")

const signed = (change: number): string => (change > 0 ? `+${change}` : `${change}`)

const changedCount = (name: string, before: number, after: number): ReadonlyArray<string> =>
  before === after ? [] : [`${name}  ${before} → ${after} (${signed(after - before)})`]

/** Entries that are in one list and not in the other, by their names. */
const changedList = <One>(
  before: ReadonlyArray<One>,
  after: ReadonlyArray<One>,
  named: (one: One) => string,
  [came, went]: readonly [string, string]
): ReadonlyArray<string> => {
  const [was, is] = [new Set(before.map(named)), new Set(after.map(named))]
  return [
    ...[...is].flatMap((name) => (was.has(name) ? [] : [`${name}: ${came}`])),
    ...[...was].flatMap((name) => (is.has(name) ? [] : [`${name}: ${went}`]))
  ]
}

export interface Change {
  readonly kind: string
  /** `""` counts all actors of the kind. */
  readonly status: string
  readonly before: number
  readonly after: number
}

export const changesOf = (before: Moment, after: Moment): ReadonlyArray<Change> =>
  kindsOf(before.counts, after.counts).flatMap((kind) => {
    const [was, is] = [countsOf(before, kind), countsOf(after, kind)]
    const statuses = [...new Set([...Object.keys(was), ...Object.keys(is)])].toSorted()
    return statuses
      .map((status) => ({ kind, status, before: was[status] ?? 0, after: is[status] ?? 0 }))
      .filter((change) => change.before !== change.after)
  })

export const changesText = (before: Moment, after: Moment): string => {
  const fills = ({ agent, fill }: OpenFill): string => `fill ${fill} of agent ${agent}`
  const running = ({ id, host, run }: RunningCompartment): string => `compartment ${id}, run ${run}, on host ${host}`
  const lines = [
    ...changesOf(before, after).flatMap((change) =>
      changedCount(`${change.kind}${change.status === "" ? "" : ` ${change.status}`}`, change.before, change.after)
    ),
    ...changedList(before.open_reports, after.open_reports, (id) => `report ${id}`, ["opened", "no longer open"]),
    ...changedList(before.open_fills, after.open_fills, fills, ["opened", "no longer open"]),
    ...changedList(before.running, after.running, running, ["runs", "runs no longer"]),
    ...changedCount(
      "commands of reactions in flight",
      sum(Object.values(before.in_flight.sets)),
      sum(Object.values(after.in_flight.sets))
    )
  ]
  return [
    `from ${headText(before)}`,
    `to   ${headText(after)}: ${after.seq - before.seq} places of the log further`,
    ...(lines.length === 0 ? ["nothing that is counted has changed"] : lines)
  ].join("\n")
}
