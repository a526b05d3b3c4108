/**
 * Completes the decisions of an agent. Notifications get full links, and the agent's owners if they are forwarded to
 * owners. The deliveries to the agent's webhook start in the same commit. Pure.
 */
import type { Limits } from "../../schemas/limits.ts"
import type { AnswerContext, Decision } from "../engine/definition.ts"
import { withLinks } from "./notification/links.ts"
import { withOwners } from "./notification/owners.ts"
import type { AgentEvent, AgentState } from "./state.ts"
import { withDelivery } from "./webhook/decide.ts"

export const consequencesOf =
  (baseUrl: string, limits: Limits) =>
  (state: AgentState, decision: Decision<AgentEvent>, context: AnswerContext): Decision<AgentEvent> =>
    withDelivery(state, withOwners(state, withLinks(state, decision, baseUrl)), context, limits)
