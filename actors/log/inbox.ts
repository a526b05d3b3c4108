/**
 * An inbox below the connection's own prefix: a user may listen below the prefix of its role alone
 * (schemas/bus/roles.ts).
 */
import { createInbox, type NatsConnection } from "@nats-io/transport-node"

/** The client keeps its options beside its public shape; its own packages read them there. */
interface WithOptions {
  readonly options?: { readonly inboxPrefix?: string }
}

export const newInbox = (nats: NatsConnection): string => createInbox((nats as WithOptions).options?.inboxPrefix)
