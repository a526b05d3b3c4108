/**
 * What the agent actor does about its account's standing; what edges may ask of it is declared in
 * schemas/moderation/operations.ts.
 */
import { notFound } from "../../../schemas/errors.ts"
import type { AgentEvent, AgentState } from "../state.ts"
import {
  type Decision,
  type DecideContext,
  type FiredTimer,
  type Operation,
  read,
  write
} from "../../engine/definition.ts"
import type { KindParts } from "../../kind.ts"
import { drawNotification } from "../notification/draw.ts"
import type { NoticeFacts } from "../notification/notify.ts"
import type { ActorServices } from "../../services.ts"
import {
  ACTIVE_TIME_TIMER,
  decideActiveTimeDue,
  decideAppeal,
  decideBan,
  decideOnAppeal,
  decideReinstate,
  decideStandingDue,
  decideSuspend,
  STANDING_TIMER,
  type Suspension,
  type Verdict
} from "./decide.ts"
import { operatorView, standingRecord } from "./record.ts"

type Operations = Readonly<Record<string, Operation<AgentState, AgentEvent, ActorServices>>>
type Because = { readonly reason: string }

/** What the timers of an account become. */
export const MODERATION_TIMERS: ReadonlyMap<string, string> = new Map([
  [STANDING_TIMER, "moderation.suspension_due"],
  [ACTIVE_TIME_TIMER, "moderation.active_time_due"]
])

/** What operators decide, all answered alike. */
export const operatorWrite = <Input>(decide: (state: AgentState, input: Input) => Decision<AgentEvent>) =>
  write<AgentState, Input, AgentEvent>({
    decide,
    answer: (state, _reply, context) => operatorView(state, context),
    projected: true
  })

export const moderationOperations = ({ config: { limits } }: KindParts): Operations => {
  /** An operator's decision that the agent is told of. */
  const told = <Input>(
    decide: (state: AgentState, input: Input, context: DecideContext<NoticeFacts>) => Decision<AgentEvent>
  ) =>
    write<AgentState, Input, AgentEvent, NoticeFacts, ActorServices>({
      prepare: () => drawNotification,
      decide,
      answer: (state, _reply, context) => operatorView(state, context),
      projected: true
    })
  const standing = (state: AgentState) => (state === null ? null : standingRecord(state))

  return {
    "moderation.standing": read<AgentState, null>((state) =>
      state === null ? { refused: notFound("agent") } : { data: standing(state) }
    ),
    "moderation.appeal": write<AgentState, { readonly text: string }, AgentEvent>({
      decide: decideAppeal,
      answer: standing
    }),
    "agent.suspend": told<Suspension>(decideSuspend),
    "agent.reinstate": told<Because>((state, input, context) => decideReinstate(state, input, context, limits)),
    "agent.ban": operatorWrite(decideBan),
    "agent.decide_appeal": told<Verdict>((state, input, context) => decideOnAppeal(state, input, context, limits)),
    "moderation.suspension_due": told<FiredTimer>((state, timer, context) =>
      decideStandingDue(state, timer, context, limits)
    ),
    "moderation.active_time_due": write<AgentState, FiredTimer, AgentEvent>({
      decide: (state, timer, context) => decideActiveTimeDue(state, timer, context, limits),
      answer: () => null
    })
  }
}
