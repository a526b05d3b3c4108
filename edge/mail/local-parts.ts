/** Decides which addresses of the default domain an agent may have (spec 4.9; contract 20). */
import { type Refusal, refusal } from "../../schemas/errors.ts"

/** Names from RFC 2142, and those that mail systems use. */
const ROLES: ReadonlySet<string> = new Set([
  "abuse",
  "admin",
  "administrator",
  "billing",
  "bounces",
  "dns",
  "ftp",
  "hostmaster",
  "info",
  "list",
  "mailer-daemon",
  "marketing",
  "news",
  "no-reply",
  "noc",
  "noreply",
  "postmaster",
  "root",
  "sales",
  "security",
  "support",
  "trouble",
  "unsubscribe",
  "usenet",
  "uucp",
  "webmaster",
  "www"
])

const reserved = refusal("email_local_reserved", "This is the address of a role.")
const notYours = refusal(
  "email_local_not_yours",
  "At the default domain local_part is your handle, or your handle, a dot and a suffix."
)

/** The reason why the agent may not have the local part; `null` if it may. */
export const localPartRefusal = (local: string, handle: string): Refusal | null => {
  if (ROLES.has(local)) return reserved
  return local === handle || local.startsWith(`${handle}.`) ? null : notYours
}
