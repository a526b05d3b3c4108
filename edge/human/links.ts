/** Links in letters. The token begins with the account's id, and the account stores its hash. */
import { Effect } from "effect"
import { HUMAN_PREFIX, LINK_TOKEN } from "../../schemas/human/fields.ts"
import { refusal } from "../../schemas/errors.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { tokenHash } from "./token-hash.ts"

export interface LinkToken {
  readonly human: string
  /** The sha256 of the token in hex. */
  readonly token: string
}

export const linkOf = (token: string): Effect.Effect<LinkToken, Refused> => {
  const human = LINK_TOKEN.exec(token)?.[1]
  if (human === undefined) return Effect.fail(refuse(refusal("token_invalid", "This is no token of a letter's link.")))
  return Effect.succeed({
    human: `${HUMAN_PREFIX}${human}`,
    token: tokenHash(token)
  })
}
