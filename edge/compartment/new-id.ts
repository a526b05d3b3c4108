/** Draws ids of compartments, at the edge that gets the request. */
import { createHash, randomBytes } from "node:crypto"
import type { Call } from "../http/call.ts"

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
const CHARS = 20

/** The same command (an Idempotency-Key, a form) always gives the same id, so that it makes one compartment. */
export const newCompartmentId = ({ command }: Pick<Call, "command">): string => {
  const bytes = command === null ? randomBytes(CHARS) : createHash("sha256").update(`compartment ${command}`).digest()
  return `cmp_${[...bytes.subarray(0, CHARS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join("")}`
}
