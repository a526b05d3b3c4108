/** With an account its key goes: what was sealed under it is readable to nobody from then on. */
import { on, reactions, tell } from "../reactions/reaction.ts"
import { HumanEvent } from "./state.ts"

export const erasedAccounts = reactions(
  "human_erased",
  on("human", HumanEvent, (event, { id }) => (event.type === "human.deleted" ? [tell("human.erase", id, null)] : []))
)
