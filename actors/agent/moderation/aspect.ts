/**
 * The agent actor's operations on its account's standing. schemas/moderation/operations.ts declares those that edges
 * may call.
 */
import { notFound } from "../../../schemas/errors.ts"
import { moderationOperations as declared } from "../../../schemas/moderation/operations.ts"
import type { OperatorView } from "../../../schemas/moderation/operations.ts"
import { type Decision, type DecideContext, read, write, type WriteOperation } from "../../engine/definition.ts"
import { existing } from "../../engine/existing.ts"
import type { KindParts, Operating } from "../../kit/kind.ts"
import type { Counters } from "../../engine/services.ts"
import { missing, statusRefusal } from "../decide.ts"
import { decideRole, decideSystem } from "../profile/decide.ts"
import { drawNotification } from "../notification/draw.ts"
import type { NoticeFacts } from "../notification/notify.ts"
import type { AgentActor, AgentEvent, AgentState } from "../state.ts"
import {
  ACTIVE_TIME_TIMER,
  decideActiveTimeDue,
  decideAppeal,
  decideBan,
  decideOnAppeal,
  decideReinstate,
  decideStandingDue,
  decideSuspend,
  STANDING_TIMER
} from "./decide.ts"
import { operatorView, reporterWeight, standingRecord } from "./record.ts"

export const timers = {
  [STANDING_TIMER]: "moderation.suspension_due",
  [ACTIVE_TIME_TIMER]: "moderation.active_time_due"
}

const decided = <Input>(
  decide: (state: AgentState, input: Input, context: DecideContext<unknown>) => Decision<AgentEvent>
): WriteOperation<AgentActor, Input, OperatorView> =>
  write({ decide, answer: (state, _reply, { id }) => operatorView(existing(state), id), projected: true })

const notifying = <Input>(
  decide: (state: AgentState, input: Input, context: DecideContext<NoticeFacts>) => Decision<AgentEvent>
): WriteOperation<AgentActor, Input, OperatorView, NoticeFacts, unknown, Counters> =>
  write({
    prepare: () => drawNotification,
    decide,
    answer: (state, _reply, { id }) => operatorView(existing(state), id),
    projected: true
  })

export const operations = ({ config: { limits } }: KindParts): Operating<typeof declared, AgentActor> => ({
  "moderation.standing": read((state) =>
    state === null ? { refused: notFound("agent") } : { data: standingRecord(state) }
  ),
  "agent.weight": read((state, _input, { at }) => ({
    data: { weight: state === null ? "none" : reporterWeight(state, at, limits.moderation) }
  })),
  "agent.runs": read((state) => {
    if (state === null) return missing
    const refused = statusRefusal(state, true)
    return refused === null ? { data: null } : { refused }
  }),
  "moderation.appeal": write({ decide: decideAppeal, answer: (state) => standingRecord(existing(state)) }),
  "agent.inspect": read((state, _input, { id }) =>
    state === null ? { refused: notFound("agent") } : { data: operatorView(state, id) }
  ),
  "agent.role": decided(decideRole),
  "agent.system": decided(decideSystem),
  "agent.suspend": notifying(decideSuspend),
  "agent.reinstate": notifying((state, input, context) => decideReinstate(state, input, context, limits)),
  "agent.ban": decided(decideBan),
  "agent.decide_appeal": notifying((state, input, context) => decideOnAppeal(state, input, context, limits)),
  "moderation.suspension_due": write({
    prepare: () => drawNotification,
    decide: (state, timer, context) => decideStandingDue(state, timer, context, limits),
    answer: () => null,
    projected: true
  }),
  "moderation.active_time_due": write({
    decide: (state, timer, context) => decideActiveTimeDue(state, timer, context, limits),
    answer: () => null
  })
})
