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
 * Successful rotations alone are counted, in the keys themselves, so that the limit survives whatever happens to the
 * node; recoveries, three days apart at least, are none.
 */
const rotationsOf = ({ keys }: Agent): ReadonlyArray<number> =>
  keys.filter(({ proof }) => proof?.kind === "rotation").map(({ from }) => from)

export const decideRotate = decideNewKey<RotationReply>({
  kind: "rotation",
  // Another rotation may have been quicker than this request.
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
