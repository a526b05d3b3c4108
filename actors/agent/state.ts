/**
 * The state and the events of an agent, joined from all aspects (spec 2.2, 3.1). The state of an agent that was never
 * registered is `null`.
 */
import { Schema } from "effect"
import { joined, partsOf } from "../../schemas/noun.ts"
import { inventoryOf } from "../engine/events.ts"
import type { ActorOf } from "../kit/kind.ts"
import type { AgentMemory } from "./memory.ts"
import * as states from "./states.ts"

const Agent = Schema.Struct(joined(partsOf(states, "fields")))
export type Agent = typeof Agent.Type

export const AgentState = Schema.NullOr(Agent)
export type AgentState = typeof AgentState.Type

export const AgentEvent = Schema.Union(partsOf(states, "events").flat())
export type AgentEvent = typeof AgentEvent.Type

export const AGENT_EVENTS = inventoryOf(AgentEvent)

export type AgentActor = ActorOf<AgentState, AgentEvent, AgentMemory>
