/** The form in which an account stores the token of a session or a link: its sha256 in hex. */
import { createHash } from "node:crypto"

export const tokenHash = (token: string): string => createHash("sha256").update(token).digest("hex")
