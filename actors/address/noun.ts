import { addressKind } from "./actor.ts"

export const kinds = [addressKind]

export type { AddressEvent } from "./actor.ts"
export { addressHasher, addressSealer } from "./hash.ts"
