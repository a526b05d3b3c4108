/** Owners of an agent, as the vault's decisions see them. */
import type { OwnerStanding } from "../../schemas/owner/operations.ts"

/** The owner `hum_<sponsorship>`, confirmed at that moment, with a verified address. */
export const standing = (sponsorship: number, more: Partial<OwnerStanding> = {}): OwnerStanding => ({
  sponsorship,
  human: `hum_${sponsorship}`,
  since: sponsorship,
  verified: true,
  told: { humans: [], at: sponsorship },
  opinions: [],
  ...more
})
