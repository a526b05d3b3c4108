/** The parts of a node that the agent's aspects may use. */
import type { KindParts } from "../kit/kind.ts"
import type { LogBytesMeter } from "../limit/noun.ts"
import type { AgentMemory } from "./memory.ts"
import type { LastSeen } from "./seen/last-seen.ts"

export interface AgentParts extends KindParts {
  readonly meter: LogBytesMeter<AgentMemory>
  readonly lastSeen: LastSeen
}
