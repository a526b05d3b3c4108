/** Tokens of links: whose it is stands in front, so that whoever brings one is led to the account (schemas/human/fields.ts). */
import { createHash, randomBytes } from "node:crypto"
import { HUMAN_PREFIX } from "../../schemas/human/fields.ts"

const SECRET_BYTES = 32

export interface NewToken {
  /** For the person alone. */
  readonly token: string
  /** For the log. */
  readonly hash: string
}

/** As the log keeps it. */
export const hashOfToken = (token: string): string => createHash("sha256").update(token).digest("hex")

export const newLinkToken = (human: string): NewToken => {
  const token = `${human.slice(HUMAN_PREFIX.length)}${randomBytes(SECRET_BYTES).toString("base64url")}`
  return { token, hash: hashOfToken(token) }
}
