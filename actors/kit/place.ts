/** Who runs a host of the world, as far as its name tells. */
import { getDomain } from "tldts"

/** Returns the registrable domain: whoever has one can make up any number of names below it. */
export const placeOf = (host: string): string => getDomain(host) ?? host.toLowerCase()
