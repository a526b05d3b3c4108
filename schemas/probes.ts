/** Networks of health checks, whose requests count against no rate limit (`HUB_PROBES`). */
import { rangeOf } from "./network.ts"

export const PROBES_MAX = 64
/** The widest allowed networks. Wider ones are probably mistakes. */
const WIDEST = { ipv4: 8, ipv6: 32 } as const

/** The reason why a text is not a network for health checks, worded to follow the text; `null` if it is one. */
export const probeProblem = (text: string): string | null => {
  const range = rangeOf(text)
  if (range === null) return "is no address or network such as 192.0.2.7 or 10.1.0.0/16"
  return range.bits < WIDEST[range.kind] ? `is wider than /${WIDEST[range.kind]}` : null
}

/** Makes a test for whether an address is in one of the networks. */
export const probing = (networks: ReadonlyArray<string>): ((address: string) => boolean) => {
  const ranges = networks.map(rangeOf).filter((range) => range !== null)
  return (address) => ranges.some(({ holds }) => holds(address))
}
