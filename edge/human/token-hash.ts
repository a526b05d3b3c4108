/** The form in which an account stores a session's or a link's token: sha256, in hex. */
import { createHash } from "node:crypto"

export const tokenHash = (token: string): string => createHash("sha256").update(token).digest("hex")
