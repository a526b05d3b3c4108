import { awaited, on, reactions, commandFor } from "../reactions/reaction.ts"
import { HumanEvent } from "./state.ts"

/** Erases the key of a deleted account. From then on nobody can read the data that was sealed under it. */
export const erasedAccounts = reactions(
  "human_erased",
  on("human", HumanEvent, (event, { id }) =>
    event.type === "human.deleted" ? [commandFor("human.erase", id, null)] : []
  )
)

/**
 * Sponsorships are verified when the person's address is confirmed, and end with the account. Those of a stranger end
 * when the owner of the address takes over the account.
 */
export const sponsorshipsOfHumans = awaited(
  reactions(
    "sponsorship_of_human",
    on("human", HumanEvent, (event) => {
      const withdrawn = (id: number) => commandFor("sponsorship.end", String(id), { status: "withdrawn" })
      if (event.type === "human.address_confirmed")
        return [
          ...(event.ended ?? []).map(withdrawn),
          ...(event.sponsorships ?? []).map((id) => commandFor("sponsorship.verify", String(id), null))
        ]
      return event.type === "human.deleted" ? (event.sponsorships ?? []).map(withdrawn) : []
    })
  )
)
