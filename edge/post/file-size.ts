/** Sizes for people. */
const KILO = 1_000

/** In bytes, kB or MB, with at most one digit behind the point. */
export const sizeOf = (bytes: number): string => {
  if (bytes < KILO) return bytes === 1 ? "1 byte" : `${bytes} bytes`
  const [value, unit] = bytes < KILO * KILO ? [bytes / KILO, "kB"] : [bytes / KILO / KILO, "MB"]
  return `${value.toLocaleString("en", { maximumFractionDigits: 1 })} ${unit}`
}
