/** The id of the actor for an address: a valid token of a subject, whatever the address contains. */
import { createHash } from "node:crypto"

/** 128 bits, in hex. */
const ID_CHARS = 32

/** `address`: in lower case, without a tag, the domain as A-label. */
export const addressId = (address: string): string =>
  createHash("sha256").update(address).digest("hex").slice(0, ID_CHARS)
