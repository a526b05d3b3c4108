/** Finds the domain under which a host is registered, which shows who owns it. */
import { getDomain } from "tldts"

/** Returns the host itself if it has no registrable domain, such as an IP address. */
export const registrableDomainOf = (host: string): string => getDomain(host) ?? host.toLowerCase()
