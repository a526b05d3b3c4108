/** Owners of an agent, in the form that decisions of the vault use. */
import type { OwnerStanding } from "../../schemas/owner/operations.ts"

/** The owner `hum_<sponsorship>`, confirmed at the time `sponsorship`, with a verified address. */
export const standing = (sponsorship: number, more: Partial<OwnerStanding> = {}): OwnerStanding => ({
  sponsorship,
  human: `hum_${sponsorship}`,
  since: sponsorship,
  verified: true,
  told: { humans: [], at: sponsorship },
  opinions: [],
  ...more
})
