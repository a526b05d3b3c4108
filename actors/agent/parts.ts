/** The parts of a node that the agent's aspects may use. */
import type { Meter } from "../engine/definition.ts"
import type { KindParts } from "../kit/kind.ts"
import type { AgentMemory } from "./memory.ts"
import type { LastSeen } from "./seen/last-seen.ts"

export interface AgentParts extends KindParts {
  readonly meter: Meter<AgentMemory>
  readonly lastSeen: LastSeen
}
