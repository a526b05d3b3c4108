/**
 * An inbox below the connection's own prefix: a user may listen below the prefix of its role alone
 * (schemas/bus/roles.ts).
 */
import { createInbox, type NatsConnection } from "@nats-io/transport-node"

/** The client keeps its options beside its public shape; its own packages read them there. */
const prefixOf = (nats: object): string | undefined => {
  const options = "options" in nats ? nats.options : undefined
  const isGiven = typeof options === "object" && options !== null && "inboxPrefix" in options
  return isGiven && typeof options.inboxPrefix === "string" ? options.inboxPrefix : undefined
}

export const newInbox = (nats: NatsConnection): string => createInbox(prefixOf(nats))
