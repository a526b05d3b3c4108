import type { Answering } from "../queries/serve.ts"
import { sponsorshipKind } from "./actor.ts"
import { sponsorshipProjection } from "./projection.ts"
import { sponsoredAgentsQuery, sponsoredQuery, sponsorshipsQuery } from "./queries.ts"
import { datedSponsorships, toldSponsorships } from "./reactions.ts"

export const kinds = [sponsorshipKind]

export const projections = [sponsorshipProjection]

export const reactions = [toldSponsorships, datedSponsorships]

export const queries = ({ db, people, config: { baseUrl } }: Answering) => ({
  sponsorships: sponsorshipsQuery(db, people),
  sponsored: sponsoredQuery(db, baseUrl),
  sponsored_agents: sponsoredAgentsQuery(db, baseUrl)
})
