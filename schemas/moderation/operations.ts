/** The standing of accounts, and operators' actions on it (spec 3.1). */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"
import { FiredTimer } from "../timer.ts"
import { MakeAppeal, Standing } from "./api.ts"

/** An account as operators see it, with every status. The public does not see banned or deleted agents (spec 2.2). */
export const OperatorView = Schema.Struct({
  id: Schema.String,
  number: Schema.Int,
  handle: Schema.String,
  name: Schema.String,
  status: Schema.Literals(["active", "suspended", "banned", "deleted"]),
  roles: Schema.Array(Schema.String),
  is_system: Schema.Boolean,
  provisional: Schema.Boolean,
  trust: Schema.Number,
  reputation: Schema.Number,
  reason: Standing.fields.reason,
  since: Standing.fields.since,
  until: Standing.fields.until,
  appeal: Standing.fields.appeal
})
export type OperatorView = typeof OperatorView.Type

const Because = Schema.Struct({ reason: Schema.String })

export const Suspension = Schema.Struct({
  reason: Schema.String,
  /** The end in Unix ms. Absent if only an operator can end it. */
  until: Schema.optionalKey(Schema.Number),
  /** The report that led to it. One report suspends only once, even if the agent was reinstated meanwhile. */
  report: Schema.optionalKey(Schema.Int)
})
export type Suspension = typeof Suspension.Type

export const AppealVerdict = Schema.Struct({ granted: Schema.Boolean, answer: Schema.NullOr(Schema.String) })
export type AppealVerdict = typeof AppealVerdict.Type

/** A report by an operator counts independently of age and trust. */
export const ReporterWeight = Schema.Literals(["operator", "established", "none"])
export type ReporterWeight = typeof ReporterWeight.Type

export const moderationOperations = operationsOf("agent", {
  /** Open to a suspended account, like `moderation.appeal`. */
  "moderation.standing": op({ input: Nothing, output: Standing, askedBy: ["edge"] }),
  /** Answers whether the agent's report weighs enough to stop another agent's compartment (contract 3, 22). */
  "agent.weight": op({ input: Nothing, output: Schema.Struct({ weight: ReporterWeight }), askedBy: [] }),
  /** Refused `agent_suspended`, `agent_banned` or `agent_deleted` if the agent may start no programs. */
  "agent.runs": op({ input: Nothing, output: Nothing, askedBy: [] }),
  "moderation.appeal": op({ input: MakeAppeal, output: Standing, askedBy: ["edge"] }),
  "agent.inspect": op({ input: Nothing, output: OperatorView, askedBy: [] }),
  "agent.role": op({
    input: Schema.Struct({ role: Schema.String, granted: Schema.Boolean }),
    output: OperatorView,
    askedBy: []
  }),
  "agent.system": op({ input: Schema.Struct({ is_system: Schema.Boolean }), output: OperatorView, askedBy: [] }),
  "agent.suspend": op({ input: Suspension, output: OperatorView, askedBy: [] }),
  "agent.reinstate": op({ input: Because, output: OperatorView, askedBy: [] }),
  "agent.ban": op({ input: Because, output: OperatorView, askedBy: [] }),
  "agent.decide_appeal": op({ input: AppealVerdict, output: OperatorView, askedBy: [] }),
  "moderation.suspension_due": op({ input: FiredTimer, output: Nothing, askedBy: [] }),
  "moderation.active_time_due": op({ input: FiredTimer, output: Nothing, askedBy: [] })
})
