/** Decisions on the rotation of an agent's key (spec 3.2). Pure. */
import { type Refusal, refusal } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { type Agent, currentKey } from "../state.ts"
import { cancelled, decideNewKey, retired, rotated } from "./new-key.ts"

export interface RotationReply {
  readonly old_public_key: string
  readonly new_public_key: string
  /** Unix ms. */
  readonly rotated_at: number
}

/**
 * Successful rotations alone are counted, in the keys themselves, so that the limit survives whatever happens to the
 * node; recoveries, three days apart at least, are none.
 */
const tooManyRotations = (agent: Agent, at: number, limits: Limits): Refusal | null => {
  const { requests, window_seconds } = limits.rate_limits.key_rotation
  const since = at - window_seconds * 1000
  const recent = agent.keys.filter((key) => key.proof?.kind === "rotation" && key.from > since)
  const [oldest] = recent.slice(-requests)
  if (recent.length < requests) return null
  const retryAfter = Math.max(1, Math.ceil(((oldest?.from ?? at) - since) / 1000))
  const details = { bucket: "key_rotation", limit: requests, window_seconds, retry_after: retryAfter }
  return {
    ...refusal("rate_limited", `Too many rotations: ${requests} in ${window_seconds} seconds are allowed.`, details),
    retryAfter
  }
}

export const decideRotate = decideNewKey<RotationReply>({
  kind: "rotation",
  // Another rotation may have been quicker than this request.
  authorise: (agent, signer) => (signer === currentKey(agent) ? {} : retired),
  take: (agent, { new_public_key }, proof, context, limits) => {
    const limited = tooManyRotations(agent, context.at, limits)
    if (limited !== null) return { refused: limited }
    return {
      events: [...cancelled(agent, "the key was rotated", context), ...rotated(agent, new_public_key, proof, context)],
      reply: { old_public_key: currentKey(agent), new_public_key, rotated_at: context.at }
    }
  }
})
