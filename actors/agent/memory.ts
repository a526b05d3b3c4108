/** Data that an agent's activation keeps in memory besides the state. It is lost when the activation ends. */
import type { HostTable } from "./identity/hosts.ts"
import { type DayBytes, newDayBytes, newUploadBytes, type UploadBytes, type Window } from "../limit/noun.ts"
import type { UnderWay } from "../idempotency/noun.ts"
import { type Holdings, newHeld } from "./owner/held.ts"

export interface AgentMemory {
  readonly windows: Map<string, Window>
  /** Requests with an Idempotency-Key that are in progress, each with the ask that began it. */
  readonly underWay: Map<string, UnderWay>
  /** Counters of the websites that verified the agent. They are loaded at the first visit. */
  hosts: Promise<HostTable> | null
  readonly logBytes: DayBytes
  /**
   * The bytes of answers under Idempotency-Keys that may still be stored today. Holders of the agent's tokens may use
   * only a part.
   */
  readonly answerBytes: DayBytes
  readonly uploadBytes: UploadBytes
  /** The agent's requests that edges hold open until an owner answers. */
  readonly held: Holdings
}

export const newAgentMemory = (): AgentMemory => ({
  windows: new Map(),
  underWay: new Map(),
  hosts: null,
  logBytes: newDayBytes(),
  answerBytes: newDayBytes(),
  uploadBytes: newUploadBytes(),
  held: newHeld()
})
