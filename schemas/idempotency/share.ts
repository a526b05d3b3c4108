/**
 * Sizes of the streams for answers under Idempotency-Keys, and one owner's share of a day. Pure.
 *
 * Invariants
 *  - An owner's day is at most one part in `answer_owners_min` of the stream, so fewer owners than that cannot push out
 *    the answers of others. Owners that are easy to create get a fraction of it.
 *  - These owners have a separate stream, so they can push out only each other's answers.
 */
import type { Limits } from "../limits.ts"

/**
 * `established`: an agent that counts as established (contract 3), or a person with a confirmed address. `new_agent`:
 * any other agent. `unverified`: any other person.
 */
export type Owner = "established" | "new_agent" | "unverified"

const partsOf = (owner: Owner, { answer_new_agent_parts, answer_unverified_parts }: Limits["service"]): number => {
  if (owner === "new_agent") return answer_new_agent_parts
  return owner === "unverified" ? answer_unverified_parts : 1
}

/** True for owners that are not established. Anybody can quickly create many of them. */
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

/** The bytes of answers that may be stored in a day for an owner of this kind. */
export const answerBytesOf = (owner: Owner, { limits, service }: Limits): number => {
  const whole = Math.min(limits.answer_bytes_per_day, answersMaxBytes(service) / service.answer_owners_min)
  return Math.floor(whole / partsOf(owner, service))
}
