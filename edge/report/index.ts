/** Reports, filed by agents and decided by operators (spec 4.4, 4.6; contract 3, 19). */
import { Effect, Schedule } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import { COMPARTMENT_ID } from "../../schemas/compartment/fields.ts"
import { invalidField, notFound, refusal } from "../../schemas/errors.ts"
import { FileReport, ReportApi, Resolve, SUSPENDED_DAYS_DEFAULT } from "../../schemas/report/api.ts"
import {
  type Report,
  type ReportInQueue,
  type ReportStatus,
  type ReportTarget,
  targetRecord
} from "../../schemas/report/records.ts"
import { agentOf } from "../bus/agent.ts"
import { parse } from "../bus/bus.ts"
import { notVisibleYet } from "../content/standing.ts"
import { admitted, numberOf, textsChecked } from "../content/writing.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { namedBy, type Refused, refuse } from "../http/refused.ts"
import { dataItems, dataValue } from "../http/respond.ts"
import { own, signer } from "../bus/own.ts"
import type { EdgeParts } from "../kit/parts.ts"

const decodeFiled = bodyDecoder(FileReport)
const decodeResolve = bodyDecoder(Resolve)

const noReport = refuse(notFound("report"))
const forOperators = refuse(refusal("operator_required", "Reports are for operators."))

const OF_AGENTS = "target_id must be the handle, the hub id or the number of an agent."
const OF_COMPARTMENTS = "target_id must be the id of a compartment."
const OF_OTHERS = "target_id must be the number of what is reported."

/** Milliseconds between two looks at a decided report, and the most looks after the first. */
const LOOK_AGAIN_MS = 50
const LOOKS_MAX = 40
const LOOKING = { schedule: Schedule.spaced(LOOK_AGAIN_MS), times: LOOKS_MAX }

export const routes = ({ bus, lists, config: { hub } }: EdgeParts) => {
  /** The actors' form of a target: a hub id, a compartment's id or a number. */
  const targetOf = (call: Call, type: ReportTarget, target: string | number): Effect.Effect<string, Refused> => {
    if (type === "agent")
      return typeof target === "string"
        ? agentOf(bus, call, target).pipe(namedBy("target_id"))
        : Effect.fail(refuse(invalidField("target_id", OF_AGENTS)))
    if (type === "compartment")
      return typeof target === "string" && COMPARTMENT_ID.test(target)
        ? Effect.succeed(target)
        : Effect.fail(refuse(invalidField("target_id", OF_COMPARTMENTS)))
    return typeof target === "number" && target > 0
      ? Effect.succeed(String(target))
      : Effect.fail(refuse(invalidField("target_id", OF_OTHERS)))
  }

  const operator = (call: Call): Effect.Effect<void, Refused> =>
    Effect.flatMap(signer(bus, call), ({ roles }) =>
      roles.includes("operator") ? Effect.void : Effect.fail(forOperators)
    )

  const shown = (call: Call, id: number): Effect.Effect<ReportInQueue, Refused> =>
    Effect.flatMap(bus.query(call, "report", { id }), (report) =>
      report === null ? Effect.fail(noReport) : Effect.succeed(report)
    )

  /**
   * The report from the read model. Refuses with `notVisibleYet` if the read model does not have it in one of these
   * statuses yet.
   */
  const shownAs = (call: Call, id: number, statuses: ReadonlyArray<ReportStatus>) =>
    Effect.filterOrFail(
      Effect.mapError(shown(call, id), (refused) => (refused === noReport ? notVisibleYet : refused)),
      ({ status }) => statuses.includes(status),
      () => notVisibleYet
    )

  /**
   * The report after a decision. Its actor says whether the outcome was refused meanwhile, which sets the report back
   * to `reviewing`. Looks again for a limited time while the outcome is pending, or the read model is behind the actor.
   */
  const shownDecided = (call: Call, id: number): Effect.Effect<ReportInQueue, Refused> =>
    Effect.gen(function* () {
      const standing = bus.read(call, { actor: String(id), op: "report.standing", input: null })
      yield* Effect.repeat(standing, { while: ({ pending }) => pending, ...LOOKING })
      const look = Effect.flatMap(standing, ({ status }) => shownAs(call, id, [status]))
      return yield* Effect.retry(look, { while: (refused) => refused === notVisibleYet, ...LOOKING })
    })

  return routesOf(ReportApi, {
    fileReport: (call) =>
      Effect.gen(function* () {
        const { target_type, target_id: named, reason, text = null } = yield* decodeFiled(call)
        yield* textsChecked(call, { text })
        const target = yield* targetOf(call, target_type, named)
        const { id, created_at } = parse<Operations["report.file"]["output"]>(
          yield* own(bus, call, "report.file", { target_type, target_id: target, reason, text })
        )
        const target_id = targetRecord(target_type, target)
        const decided = { status: "open", outcome: null, created_at, resolved_at: null } as const
        const report: Report = { id, target_type, target_id, reason, text, ...decided }
        return dataValue(report, 201)
      }),
    listMyReports: (call, { query }) =>
      Effect.gen(function* () {
        const { id: reporter } = yield* signer(bus, call)
        const page = pageOf(query, hub.limits)
        const { items, total } = yield* lists.page(call, "my_reports", { ...page, reporter })
        return dataItems(items, pageMeta(page, total))
      }),
    listReports: (call, { query }) =>
      Effect.gen(function* () {
        yield* operator(call)
        const page = pageOf(query, hub.limits)
        const { items, total } = yield* lists.page(call, "reports", { ...page, status: query.status ?? null })
        return dataItems(items, pageMeta(page, total))
      }),
    getReport: (call, { params }) =>
      Effect.gen(function* () {
        yield* operator(call)
        return dataValue(yield* shown(call, yield* numberOf("report", params.id)))
      }),
    reviewReport: (call, { params }) =>
      Effect.gen(function* () {
        const id = yield* numberOf("report", params.id)
        const by = yield* admitted(bus, call)
        yield* bus.read(call, { actor: params.id, op: "report.review", input: { by } })
        return dataValue(yield* shownAs(call, id, ["reviewing", "resolved", "rejected"]))
      }),
    resolveReport: (call, { params }) =>
      Effect.gen(function* () {
        const { outcome, rejected = false, days = SUSPENDED_DAYS_DEFAULT, note = null } = yield* decodeResolve(call)
        yield* textsChecked(call, { note })
        const id = yield* numberOf("report", params.id)
        const by = yield* admitted(bus, call)
        const input = { by, outcome, rejected, days, note, settled: false }
        yield* bus.read(call, { actor: params.id, op: "report.resolve", input })
        return dataValue(yield* shownDecided(call, id))
      })
  })
}
