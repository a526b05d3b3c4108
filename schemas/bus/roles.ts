/**
 * The bus's users (ops/deploy/nats/roles.conf). The user of a role may publish and subscribe only what that role needs.
 * The operator's user may do everything, and is left out below.
 *
 * Invariants
 *  - The subject of an ask contains the role of its asker, `hub.node.<session>.<role>`, and the server lets a user
 *    publish only under its own role. So a node knows the asker without trusting the ask.
 *  - A node carries out only operations that the asker's role may ask, as each declares (`askedBy`). Operations with an
 *    empty list are for actors and operators only.
 *  - Inboxes lie below the role's own prefix, so that no role can listen to the answers of another.
 */
import type { AskerRole } from "../operation.ts"
import { isAskedBy } from "./operations.ts"

export const BUS_ROLES = ["edge", "actors", "queries", "webhooks", "mail", "keeper", "runtime", "operator"] as const
export type BusRole = (typeof BUS_ROLES)[number]

export const inboxOf = (role: BusRole): string => `_INBOX.${role}`

/**
 * The user of a process. A process with several roles of the actors' side needs the rights of all of them, so it
 * connects as `actors`.
 */
export const busRoleOf = (roles: ReadonlyArray<string>): BusRole => {
  const [only, ...others] = roles
  return others.length === 0 ? (ALONE.find((role) => role === only) ?? "actors") : "actors"
}

const ALONE = ["queries", "webhooks", "mail", "keeper", "runtime"] as const

/** True if a node carries out the operation for an asker of this role. */
export const mayAsk = (role: string, op: string): boolean =>
  ASKERS.has(role) ? isAskedBy(role as AskerRole, op) : role === "actors" || role === "operator"

const ASKERS: ReadonlySet<string> = new Set<AskerRole>(["edge", "webhooks", "mail", "keeper", "runtime"])
