/**
 * The users of the bus (ops/deploy/nats/roles.conf) on this machine. Every node connects as the user of its role, with
 * the rights of production. The passwords are new at each start. Anonymous connections are refused, because other users
 * of the machine reach loopback as well. The operator's address is in `run.json`, which only the owner may read.
 */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { BUS_ROLES, busRoleOf } from "../../schemas/bus/roles.ts"
import type { BusRole } from "../../schemas/bus/roles.ts"
import { projectRoot } from "./paths.ts"

export type BusPasswords = Readonly<Record<BusRole, string>>

export const rolesFile = join(projectRoot, "ops", "deploy", "nats", "roles.conf")

/** Each password starts with a letter: the server's configuration would read digits as a number. */
export function drawPasswords(): BusPasswords {
  const drawn = BUS_ROLES.map((role) => [role, `p${randomBytes(18).toString("hex")}`] as const)
  return Object.fromEntries(drawn) as Record<BusRole, string>
}

/** The environment variables that roles.conf reads. */
export function passwordVariables(passwords: BusPasswords): NodeJS.ProcessEnv {
  return {
    HUB_NATS_EDGE_PASSWORD: passwords.edge,
    HUB_NATS_ACTORS_PASSWORD: passwords.actors,
    HUB_NATS_QUERIES_PASSWORD: passwords.queries,
    HUB_NATS_WEBHOOKS_PASSWORD: passwords.webhooks,
    HUB_NATS_MAIL_PASSWORD: passwords.mail,
    HUB_NATS_KEEPER_PASSWORD: passwords.keeper,
    HUB_NATS_RUNTIME_PASSWORD: passwords.runtime,
    HUB_NATS_OPERATOR_PASSWORD: passwords.operator
  }
}

const withUser = (url: string, role: BusRole, passwords: BusPasswords): string =>
  url.replace("nats://", `nats://${role}:${passwords[role]}@`)

export const operatorAddress = (url: string, passwords: BusPasswords): string => withUser(url, "operator", passwords)

/** The bus's address with the name and password of a node's user. `roles` is the value of HUB_ROLES. */
export function addressFor(
  node: "edge" | "actor",
  roles: string | undefined,
  url: string,
  passwords: BusPasswords
): string {
  const role = node === "edge" ? "edge" : busRoleOf(roles?.split(",").map((name) => name.trim()) ?? [])
  return withUser(url, role, passwords)
}
