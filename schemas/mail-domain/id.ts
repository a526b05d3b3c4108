/**
 * The id of the actor that knows a domain's owner. A hash is a valid token of a subject, whatever the domain contains.
 */
import { createHash } from "node:crypto"

/** 128 bits, in hex. */
const ID_CHARS = 32

/** `domain` is an A-label. */
export const domainId = (domain: string): string => createHash("sha256").update(domain).digest("hex").slice(0, ID_CHARS)
