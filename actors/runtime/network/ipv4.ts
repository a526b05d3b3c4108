/** IPv4 addresses and prefixes as numbers. */

export interface Prefix {
  readonly address: number
  readonly bits: number
}

const BYTES = 4
const BITS = 32

export function parseAddress(text: string): number {
  const parts = text.split(".").map(Number)
  const valid = parts.length === BYTES && parts.every((part) => Number.isInteger(part) && part >= 0 && part <= 255)
  if (!valid) throw new TypeError(`not an IPv4 address: ${text}`)
  return parts.reduce((sum, part) => sum * 256 + part, 0)
}

export const formatAddress = (address: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".")

export function parsePrefix(text: string): Prefix {
  const [address = "", bits = "32"] = text.split("/")
  return { address: parseAddress(address), bits: Number(bits) }
}

export function overlaps(one: Prefix, other: Prefix): boolean {
  const size = 2 ** (BITS - Math.min(one.bits, other.bits))
  return Math.floor(one.address / size) === Math.floor(other.address / size)
}
