/** Networks of health checks, whose requests count against no rate limit (`HUB_PROBES`). */
import { rangeOf } from "./network.ts"

export const PROBES_MAX = 64
/** Wider networks are taken for a mistake, because no health checks come from so many addresses. */
const WIDEST = { ipv4: 8, ipv6: 32 } as const

/** Says why a text names no network for health checks, in words that follow the text; `null` if it does. */
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
