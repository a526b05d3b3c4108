/** Networks of health checks, which no rate limit counts (`HUB_PROBES`). */
import { rangeOf } from "./network.ts"

export const PROBES_MAX = 64
/** Wider networks are taken for a slip: nobody's checks come from a whole internet. */
const WIDEST = { ipv4: 8, ipv6: 32 } as const

/** Says in words that follow a text why it names no network for health checks; `null` if it does. */
export const probeProblem = (text: string): string | null => {
  const range = rangeOf(text)
  if (range === null) return "is no address or network such as 192.0.2.7 or 10.1.0.0/16"
  return range.bits < WIDEST[range.kind] ? `is wider than /${WIDEST[range.kind]}` : null
}

/** Tells for addresses if they are in one of the networks. */
export const probing = (networks: ReadonlyArray<string>): ((address: string) => boolean) => {
  const ranges = networks.map(rangeOf).filter((range) => range !== null)
  return (address) => ranges.some(({ holds }) => holds(address))
}
