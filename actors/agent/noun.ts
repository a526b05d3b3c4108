import { joined, partsOf } from "../../schemas/noun.ts"
import type { Answering } from "../queries/serve.ts"
import { agentKind } from "./actor.ts"
import * as aspects from "./aspects.ts"
import { agentProjection } from "./projection.ts"
import { agentReactions, sponsorshipsOfAgents } from "./reactions.ts"

export const kinds = [agentKind]

export const projections = [agentProjection, ...partsOf(aspects, "projections").flat()]

export const reactions = [agentReactions, sponsorshipsOfAgents]

export const queries = (answering: Answering) =>
  joined(partsOf(aspects, "queries").map((queries) => queries(answering)))

export { ADMISSION } from "./decide.ts"
export { evolve } from "./evolve.ts"
export { activeTimeTimer } from "./moderation/decide.ts"
export { recordsOf, type Knowing } from "./notification/queries.ts"
export { registrationEvents } from "./profile/decide.ts"
export { listedAgents } from "./profile/queries.ts"
export { privateProfile } from "./profile/record.ts"
export { carriedAtBirth } from "./sponsor/decide.ts"
export { AgentEvent, type Agent, type AgentState } from "./state.ts"
export { newWebhookSecret, secretPurpose } from "./webhook/secret.ts"
