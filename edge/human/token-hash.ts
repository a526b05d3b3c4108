/** What the account knows of a token of ours, a session's or a link's: sha256, in hex. */
import { createHash } from "node:crypto"

export const tokenHash = (token: string): string => createHash("sha256").update(token).digest("hex")
