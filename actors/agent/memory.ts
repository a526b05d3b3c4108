/** Data that an agent's activation keeps in memory beside the state. It is lost with the activation. */
import type { HostTable } from "./identity/hosts.ts"
import { type DayBytes, newDayBytes, newUploadBytes, type UploadBytes, type Window } from "../limit/noun.ts"
import type { UnderWay } from "../idempotency/noun.ts"
import { type Held, newHeld } from "./owner/held.ts"

export interface AgentMemory {
  /** Windows of the agent's own buckets, by name. */
  readonly windows: Map<string, Window>
  /** Requests under way under an Idempotency-Key, and the ask that began each. */
  readonly underWay: Map<string, UnderWay>
  /** Websites that verified the agent, read when the first one is needed. */
  hosts: Promise<HostTable> | null
  /** The bytes that it may still write to the log today. */
  readonly logBytes: DayBytes
  /** Bytes of its answers under Idempotency-Keys that may still be kept today. Holders of its tokens have a part. */
  readonly answerBytes: DayBytes
  /** The bytes that it may still upload today. */
  readonly uploadBytes: UploadBytes
  /** Requests of it that edges hold for an owner. */
  readonly held: Held
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
