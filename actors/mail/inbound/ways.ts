/**
 * Calls of actors that all ways of receiving share: from outside by SMTP, from the provider, and from an agent here.
 */
import type { RecipientOf } from "./recipient.ts"
import type { Returning } from "./returns.ts"

export interface Ways {
  readonly recipient: RecipientOf
  /** Addresses of the service's own. */
  readonly returns: Returning
  readonly hasRoom: () => Promise<boolean>
}
