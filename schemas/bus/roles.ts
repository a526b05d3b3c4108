/**
 * Who is who on the bus: every process connects as the user of its role (ops/deploy/nats/roles.conf), which may publish
 * and subscribe what the role needs and nothing else.
 *
 * Invariants
 *  - The role of an asker stands in the subject of its asks, `hub.node.<session>.<role>`, and the server lets a user
 *    publish under its own role alone. So a node knows who asks without believing a word of the ask.
 *  - A node carries out only what that role may ask: an edge reaches the operations of the API, a webhook worker those
 *    of a delivery. An operation that is in no list below may be asked by actors and operators only.
 *  - Inboxes lie below the role's own prefix, so that no role can listen to the answers of another.
 */
import type { OperationName } from "./operations.ts"

export const BUS_ROLES = ["edge", "actors", "queries", "webhooks", "operator"] as const
export type BusRole = (typeof BUS_ROLES)[number]

/** Prefix of a role's inboxes. */
export const inboxOf = (role: BusRole): string => `_INBOX.${role}`

/** A process that has more than one role of the actors' side needs the rights of all of them: it connects as `actors`. */
export const busRoleOf = (roles: ReadonlyArray<string>): BusRole => {
  const [only, ...others] = roles
  return others.length === 0 && (only === "queries" || only === "webhooks") ? only : "actors"
}

/** All that an edge asks, complete by its type. */
const OF_EDGES: Readonly<Record<OperationName, true>> = {
  "agent.authenticate": true,
  "agent.me": true,
  "agent.update": true,
  "agent.delete": true,
  "agent.profile": true,
  "agent.admit_key": true,
  "idempotency.begin": true,
  "idempotency.finish": true,
  "identity.record": true,
  "identity.keys": true,
  "identity.verify": true,
  "identity.hosts": true,
  "identity.rotate": true,
  "identity.recovery": true,
  "identity.set_recovery": true,
  "identity.unset_recovery": true,
  "identity.cancel_recovery": true,
  "identity.recover": true,
  "identity.directory_signature": true,
  "identity.sign_directory": true,
  "identity.unsign_directory": true,
  "identity.challenge": true,
  "identity.attest": true,
  "notification.read": true,
  "moderation.standing": true,
  "moderation.appeal": true,
  "webhook.show": true,
  "webhook.choose": true,
  "webhook.rotate_secret": true,
  "webhook.test": true,
  "webhook.redeliver": true,
  "number.resolve": true,
  "handle.resolve": true,
  "challenge.create": true,
  "challenge.serve": true,
  "challenge.register": true,
  "service.sign_directory": true,
  "limit.draw": true
}

/** What a webhook worker asks: to look at a delivery, to have it signed, to report. */
const OF_WEBHOOKS: ReadonlySet<string> = new Set([
  "delivery.content", "delivery.report", "delivery.put_off", "delivery.drop", "webhook.sign", "webhook.attempted"
])

/** Whether a node carries out an operation for an asker of this role. */
export const mayAsk = (role: string, op: string): boolean => {
  if (role === "edge") return Object.hasOwn(OF_EDGES, op)
  if (role === "webhooks") return OF_WEBHOOKS.has(op)
  return role === "actors" || role === "operator"
}
