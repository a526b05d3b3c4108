/**
 * Sizes of what is kept under Idempotency-Keys: of the streams, and of one owner's part in a day. Pure.
 *
 * Invariants
 *  - An owner's day is at most one part in `answer_owners_min` of the stream, so fewer owners than that cannot push out
 *    what others keep. Owners who are quickly had get a fraction of it.
 *  - These owners have a stream of their own, so however many they are, they push out each other's answers only.
 */
import type { Limits } from "../limits.ts"

/** An `established` agent (contract 3) or a person with a confirmed address; any other agent; any other person. */
export type Owner = "established" | "new_agent" | "unverified"

const partsOf = (owner: Owner, { answer_new_agent_parts, answer_unverified_parts }: Limits["service"]): number => {
  if (owner === "new_agent") return answer_new_agent_parts
  return owner === "unverified" ? answer_unverified_parts : 1
}

/** True of owners who are quickly had. */
export const isNewcomer = (owner: Owner | null): boolean => owner !== "established"

/** Size of the stream of established owners, in bytes. */
export const answersMaxBytes = ({
  agents,
  idempotency_bytes_per_agent,
  idempotency_min_bytes
}: Limits["service"]): number => Math.max(idempotency_min_bytes, agents * idempotency_bytes_per_agent)

/** Size of the stream of all others, in bytes. */
export const newcomersMaxBytes = (service: Limits["service"]): number =>
  Math.floor(answersMaxBytes(service) / service.answer_newcomers_parts)

/** Bytes that may be kept in a day of the answers to an owner of this sort. */
export const answerBytesOf = (owner: Owner, { limits, service }: Limits): number => {
  const whole = Math.min(limits.answer_bytes_per_day, answersMaxBytes(service) / service.answer_owners_min)
  return Math.floor(whole / partsOf(owner, service))
}
