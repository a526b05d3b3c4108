/**
 * Defines the agent actor, whose id is the hub id. Its operations are declared in schemas/ and implemented by its
 * aspects (aspects.ts).
 */
import { operationsOfKind } from "../../schemas/bus/operations.ts"
import { joined, partsOf } from "../../schemas/noun.ts"
import { keyFold } from "../key/noun.ts"
import { type Fold, kind } from "../kit/kind.ts"
import { logBytesMeter } from "../limit/noun.ts"
import * as aspects from "./aspects.ts"
import { consequencesOf } from "./consequences.ts"
import { evolve } from "./evolve.ts"
import { agentGate } from "./gate.ts"
import { newAgentMemory } from "./memory.ts"
import { LastSeen } from "./seen/last-seen.ts"
import { type AgentActor, AgentEvent, AgentState } from "./state.ts"

const fold: Fold<AgentActor> = {
  kind: "agent",
  state: AgentState,
  initial: null,
  events: AgentEvent,
  evolve
}

/**
 * The declarations are a separate constant, so that the hash of the fold's code (ops/contracts/folds.ts) does not
 * include them.
 */
const declared = operationsOfKind("agent")

export const agentKind = kind(fold, declared, (parts) => {
  const { clock, nats, nonces, restored, config, stateOf } = parts
  const { limits, baseUrl } = config
  const lastSeen = new LastSeen(nats)
  const meter = logBytesMeter(clock, nats, limits)
  return {
    memory: newAgentMemory,
    meter,
    onTimer: joined(partsOf(aspects, "timers")),
    gate: agentGate({
      clock,
      nonces,
      restored,
      limits,
      claimOf: (key) => stateOf(keyFold, key),
      seen: (id, now) => lastSeen.touch(id, now)
    }),
    consequences: consequencesOf(baseUrl, limits),
    operations: joined(partsOf(aspects, "operations").map((operations) => operations({ ...parts, meter, lastSeen })))
  }
})
