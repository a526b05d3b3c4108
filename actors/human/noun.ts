import { humanKind } from "./actor.ts"
import { credentialKind } from "./credential.ts"
import { erasedAccounts, sponsorshipsOfHumans } from "./reactions.ts"

export const kinds = [humanKind, credentialKind]

export const reactions = [erasedAccounts, sponsorshipsOfHumans]

export { HumanEvent } from "./state.ts"
