import { sponsoredOperations, sponsoringOperations, sponsorshipOperations } from "./operations.ts"

export { SponsorshipApi as api } from "./api.ts"
export { sponsorshipQueries as queries } from "./operations.ts"

export const operations = { ...sponsorshipOperations, ...sponsoringOperations, ...sponsoredOperations }
