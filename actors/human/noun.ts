import { humanKind } from "./actor.ts"
import { credentialKind } from "./credential.ts"
import { erasedAccounts } from "./reactions.ts"

export const kinds = [humanKind, credentialKind]

export const reactions = [erasedAccounts]
