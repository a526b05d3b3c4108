/**
 * Functions that all kinds of incoming mail share: from outside by SMTP, from the provider, and from an agent of this
 * service.
 */
import type { RecipientOf } from "./recipient.ts"
import type { Returning } from "./returns.ts"

export interface InboundPorts {
  readonly recipient: RecipientOf
  readonly returns: Returning
  readonly hasRoom: () => Promise<boolean>
}
