/**
 * A report. Its id is its number. The reporter's actor creates it (actors/agent/report/), and this actor owns it
 * afterwards.
 */
import { Effect } from "effect"
import { reportOperations } from "../../schemas/report/operations.ts"
import { notFound } from "../../schemas/errors.ts"
import { read, write } from "../engine/definition.ts"
import { type Fold, kind } from "../kit/kind.ts"
import { decideCarriedOut, decideResolve, decideReview } from "./decide.ts"
import { filingOf } from "./filing.ts"
import { Actors } from "../engine/services.ts"
import { refusalOf } from "./outcome.ts"
import { evolveReport, type ReportActor, ReportEvent, ReportState } from "./state.ts"

const fold: Fold<ReportActor> = {
  kind: "report",
  state: ReportState,
  initial: null,
  events: ReportEvent,
  evolve: evolveReport
}

export const reportKind = kind(fold, reportOperations, ({ log }) => ({
  operations: {
    "report.review": write({ decide: decideReview, answer: () => null, projected: true }),
    "report.resolve": write({
      prepare: (state, _verdict, context) =>
        Effect.gen(function* () {
          if (state === null) return null
          const filing = yield* filingOf(log, state.reporter, state.target_type, state.target_id)
          const actors = yield* Actors
          return { filing, status: (yield* actors.ask(context, "agent.inspect", state.about, null)).status }
        }),
      decide: decideResolve,
      answer: () => null,
      projected: true
    }),
    "report.standing": read((state) =>
      state === null ? { refused: notFound("report") } : { data: { status: state.status, pending: state.pending } }
    ),
    "report.carry_out": write({
      prepare: (state, resolution, context) =>
        Effect.gen(function* () {
          if (state === null) return { why: null, filing: null }
          const why = yield* refusalOf(state, resolution, context)
          return { why, filing: yield* filingOf(log, state.reporter, state.target_type, state.target_id) }
        }),
      decide: decideCarriedOut,
      answer: () => null
    })
  }
}))
