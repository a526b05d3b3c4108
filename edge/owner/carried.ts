/** The agents that a person sponsors, and that have pages here. */
import type { Author } from "../../schemas/content/author.ts"
import type { HumanSponsorship } from "../../schemas/sponsorship/records.ts"

export interface Carried extends Author {
  readonly handle: string
}

/** The confirmed sponsorships. Deleted agents are left out, because they have no handle and no page. */
export const carriedOf = (sponsorships: ReadonlyArray<HumanSponsorship>): ReadonlyArray<Carried> =>
  sponsorships.flatMap(({ status, agent: { handle, ...agent } }) =>
    status === "confirmed" && handle !== null ? [{ ...agent, handle }] : []
  )
