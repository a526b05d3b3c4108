/** The asks that every way in shares: mail from outside, by the provider, or from an agent here. */
import type { RecipientOf } from "./recipient.ts"
import type { Returning } from "./returns.ts"

export interface Ways {
  readonly recipient: RecipientOf
  /** Addresses of the service's own. */
  readonly returns: Returning
  readonly hasRoom: () => Promise<boolean>
}
