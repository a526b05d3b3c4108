import type { Answering } from "../queries/serve.ts"
import { sponsorshipKind } from "./actor.ts"
import { sponsorshipProjection } from "./projection.ts"
import { sponsoredAgentsQuery, sponsoredQuery, sponsorshipsQuery } from "./queries.ts"
import { datedSponsorships, sponsorshipNotifications } from "./reactions.ts"

export const kinds = [sponsorshipKind]

export const projections = [sponsorshipProjection]

export const reactions = [sponsorshipNotifications, datedSponsorships]

export const queries = ({ db, people, config: { baseUrl } }: Answering) => ({
  sponsorships: sponsorshipsQuery(db, people),
  sponsored: sponsoredQuery(db, baseUrl),
  sponsored_agents: sponsoredAgentsQuery(db, baseUrl)
})

export { isCarriedBy } from "./carried.ts"
export { besideAgent, isOpen, noSponsorship } from "./decide.ts"
export { peopleBy, peopleQuery } from "./people.ts"
export { sponsorsOf } from "./queries.ts"
export type { SponsorshipEvent } from "./state.ts"
