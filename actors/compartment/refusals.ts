import { ADMISSION } from "../agent/noun.ts"
import { notFound, refusal, untilOperator } from "../../schemas/errors.ts"

export const NO_COMPARTMENT = { refused: notFound("compartment") }
export const BUSY = {
  refused: refusal("compartment_busy", "It is in between: try again once its status has settled.")
}
export const SUSPENDED = {
  refused: refusal("compartment_suspended", "It is suspended: an operator lifts that, or it can be deleted.")
}
export const NAME_TAKEN = {
  refused: refusal("compartment_name_taken", "The agent has a compartment of that name.", { field: "name" })
}
export const limitReached = (per_owner: number) => ({
  refused: refusal("compartment_limit", `There is room for ${per_owner} of each owner.`, { per_owner })
})
/** The refusal for a provisional agent without a proven owner. */
export const UNOWNED = refusal(
  "agent_provisional",
  "This agent has no owner with a confirmed address. It makes compartments once it has passed registration's questions.",
  { admission: ADMISSION }
)
export const FULL = { refused: refusal("runtime_full", "All places are taken at the moment.") }
/** `retryAfter`: seconds. */
export const unavailableFor = (reason: string, retryAfter?: number) => ({
  refused: {
    ...refusal("runtime_unavailable", "Compartments cannot be made at the moment.", { reason }),
    ...(retryAfter === undefined ? {} : { retryAfter })
  }
})
/** No host takes new compartments until an operator has acted. */
export const unavailableUntilOperator = (reason: string) => ({
  refused: untilOperator(unavailableFor(reason).refused)
})
export const UNCONFIRMED = {
  refused: refusal("confirmation_required", "Deleting a compartment needs `confirm`: its name.", { field: "confirm" })
}

export const SUSPENDED_WITH_AGENT = {
  refused: refusal("compartment_suspended", "It is suspended with its agent: what reinstates the agent lifts it.")
} as const
