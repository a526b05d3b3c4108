/** Tells the owner of a host by its name. */
import { getDomain } from "tldts"

/** Returns the registrable domain, because its owner can create any number of names below it. */
export const registrableDomainOf = (host: string): string => getDomain(host) ?? host.toLowerCase()
