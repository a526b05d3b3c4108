/** Tells the owner of a host by its name. */
import { getDomain } from "tldts"

/** Returns the registrable domain: whoever has one can make up any number of names below it. */
export const registrableDomainOf = (host: string): string => getDomain(host) ?? host.toLowerCase()
