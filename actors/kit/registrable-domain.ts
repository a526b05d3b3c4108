/** Finds the domain under which a host is registered, which shows who owns it. */
import { getDomain } from "tldts"

/** Returns the registrable domain, because its owner can create any number of names below it. */
export const registrableDomainOf = (host: string): string => getDomain(host) ?? host.toLowerCase()
