/**
 * An inbox below the connection's own prefix, because a user may listen only below the prefix of its role
 * (schemas/bus/roles.ts).
 */
import { createInbox, type NatsConnection } from "@nats-io/transport-node"

/** Reads the client's options, which are not part of its public type. Its own packages read them there too. */
const prefixOf = (nats: object): string | undefined => {
  const options = "options" in nats ? nats.options : undefined
  const isGiven = typeof options === "object" && options !== null && "inboxPrefix" in options
  return isGiven && typeof options.inboxPrefix === "string" ? options.inboxPrefix : undefined
}

export const newInbox = (nats: NatsConnection): string => createInbox(prefixOf(nats))
