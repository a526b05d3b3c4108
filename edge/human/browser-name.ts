/**
 * Names a browser, so that people can tell their sessions apart: "Firefox on Linux". The name contains no text of the
 * header, which anybody may have written.
 */

/** The first browser of this list that occurs in the header counts. Browsers name others too, for compatibility. */
const BROWSERS = [
  ["Edg/", "Edge"],
  ["EdgA/", "Edge"],
  ["EdgiOS/", "Edge"],
  ["OPR/", "Opera"],
  ["SamsungBrowser/", "Samsung Internet"],
  ["Firefox/", "Firefox"],
  ["FxiOS/", "Firefox"],
  ["CriOS/", "Chrome"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
  ["curl/", "curl"]
] as const

const SYSTEMS = [
  ["Android", "Android"],
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Windows", "Windows"],
  ["Mac OS X", "macOS"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"]
] as const

type Names = ReadonlyArray<readonly [sign: string, name: string]>

const nameIn = (text: string, names: Names): string | null => names.find(([sign]) => text.includes(sign))?.[1] ?? null

/** The browser and the system, or the one of them that is known. `null` if both are unknown. */
export const browserName = (userAgent: string | undefined): string | null => {
  if (userAgent === undefined) return null
  const browser = nameIn(userAgent, BROWSERS)
  const system = nameIn(userAgent, SYSTEMS)
  if (browser === null) return system
  return system === null ? browser : `${browser} on ${system}`
}
