/** The id of an address's actor: a valid token of a NATS subject, whatever the address contains. */
import { createHash } from "node:crypto"

/** 128 bits in hexadecimal. */
const ID_CHARS = 32

/** `address`: in lower case, without a tag, with the domain as A-labels. */
export const addressId = (address: string): string =>
  createHash("sha256").update(address).digest("hex").slice(0, ID_CHARS)
