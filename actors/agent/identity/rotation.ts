/** Decisions on the rotation of an agent's key (spec 3.2). Pure. */
import { windowRefusal } from "../decide.ts"
import type { Agent } from "../state.ts"
import { currentKey } from "./state.ts"
import { cancelled, decideNewKey, retired, rotated } from "./new-key.ts"

export interface RotationReply {
  readonly old_public_key: string
  readonly new_public_key: string
  /** Unix ms. */
  readonly rotated_at: number
}

/**
 * The times of the agent's rotations. They are counted in the list of keys, so the limit survives a restart of the
 * node. Recoveries do not count, because `recovery_delay_seconds` lie between two of them.
 */
const rotationsOf = ({ keys }: Agent): ReadonlyArray<number> =>
  keys.filter(({ proof }) => proof?.kind === "rotation").map(({ from }) => from)

export const decideRotate = decideNewKey<RotationReply>({
  kind: "rotation",
  // Another rotation may have been committed before this request.
  authorise: (agent, signer) => (signer === currentKey(agent) ? {} : retired),
  take: (agent, { new_public_key }, proof, context, limits) => {
    const limited = windowRefusal(
      "key_rotation",
      rotationsOf(agent),
      context.at,
      limits,
      (drawn) => `Too many rotations: ${drawn}.`
    )
    if (limited !== null) return { refused: limited }
    return {
      events: [...cancelled(agent, "the key was rotated", context), ...rotated(agent, new_public_key, proof, context)],
      reply: { old_public_key: currentKey(agent), new_public_key, rotated_at: context.at }
    }
  }
})
