/**
 * Records that an agent's report of a target is open, so that a second one is refused. Its id is
 * `<reporter>-<type>-<target>` (contract 3: `report_exists`).
 *
 * Invariants
 *  - It has no operations. It is written in the commits of its report, when that is filed and when it is closed. The
 *    agent's actor reads it in the log before it files a report. If two commits race, the expected sequence lets only
 *    one of them through.
 */
import { Effect, Schema } from "effect"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import type { ReportTarget } from "../../schemas/report/records.ts"
import type { Companion } from "../engine/definition.ts"
import { event, eventsOf } from "../engine/events.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"
import type { EventLog } from "../log/commit.ts"
import { subjects } from "../../schemas/subjects.ts"

/** The number of the open report. */
const FilingState = Schema.NullOr(Schema.Int)
type FilingState = typeof FilingState.Type

export const FilingEvent = Schema.Union([event("filing.begun", 1, { report: Schema.Int }), event("filing.ended", 1)])
type FilingEvent = typeof FilingEvent.Type

const evolveFiling = (_state: FilingState, event: FilingEvent): FilingState =>
  event.type === "filing.begun" ? event.report : null

const fold: Fold<ActorOf<FilingState, FilingEvent>> = {
  kind: "filing",
  state: FilingState,
  initial: null,
  events: FilingEvent,
  evolve: evolveFiling
}

export const filingKind = kind(fold, {}, () => ({ operations: {} }))

export interface Filing {
  readonly id: string
  readonly seq: number
  readonly open: number | null
}

export const filingOf = (
  log: Pick<EventLog, "last">,
  reporter: string,
  type: ReportTarget,
  target: string
): Effect.Effect<Filing, Refusal> =>
  Effect.tryPromise({
    try: async () => {
      const id = `${reporter}-${type}-${target}`
      const last = await log.last(subjects.event("filing", id))
      const open = last === null ? null : eventsOf(FilingEvent, last.commit).reduce<FilingState>(evolveFiling, null)
      return { id, seq: last?.seq ?? 0, open }
    },
    catch: () => unavailable("Your earlier reports cannot be looked up at the moment.")
  })

const companion = ({ id, seq }: Filing, event: FilingEvent): Companion => ({
  kind: "filing",
  id,
  expected: seq,
  events: [event]
})

export const begun = (filing: Filing, report: number): Companion =>
  companion(filing, { type: "filing.begun", v: 1, report })

export const ended = (filing: Filing): Companion => companion(filing, { type: "filing.ended", v: 1 })
