/** A report: id = its number. It is begun by who files it (actors/agent/report/), and lives here. */
import { Effect } from "effect"
import { reportOperations } from "../../schemas/report/operations.ts"
import { write } from "../engine/definition.ts"
import { type Fold, kind } from "../kind.ts"
import { decideResolve, decideReview } from "./decide.ts"
import { filingOf } from "./filing.ts"
import { evolveReport, type ReportActor, ReportEvent, ReportState } from "./state.ts"

const fold: Fold<ReportActor> = {
  kind: "report",
  state: ReportState,
  initial: null,
  events: ReportEvent,
  evolve: evolveReport
}

export const reportKind = kind(fold, reportOperations, ({ nats }) => ({
  operations: {
    "report.review": write({ decide: decideReview, answer: () => null, projected: true }),
    "report.resolve": write({
      prepare: (state) =>
        state === null ? Effect.succeed(null) : filingOf(nats, state.reporter, state.target_type, state.target_id),
      decide: decideResolve,
      answer: () => null,
      projected: true
    })
  }
}))
