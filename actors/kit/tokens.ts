/**
 * Tokens of links. A token begins with the id of its account, so that the service finds the account
 * (schemas/human/fields.ts).
 */
import { createHash, randomBytes } from "node:crypto"
import { HUMAN_PREFIX } from "../../schemas/human/fields.ts"

const SECRET_BYTES = 32

export interface NewToken {
  /** The token, which is only given to the person. */
  readonly token: string
  /** The hash, which is written to the log. */
  readonly hash: string
}

export const hashOfToken = (token: string): string => createHash("sha256").update(token).digest("hex")

export const newLinkToken = (human: string): NewToken => {
  const token = `${human.slice(HUMAN_PREFIX.length)}${randomBytes(SECRET_BYTES).toString("base64url")}`
  return { token, hash: hashOfToken(token) }
}
