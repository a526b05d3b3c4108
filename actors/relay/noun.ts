import { relayedToOwners } from "./reactions.ts"

export const reactions = [relayedToOwners]
