/**
 * The string that an agent signs to prove itself to a website (spec 5.3), and the notation of its number (spec 2.1).
 * Pure.
 */

export const IDENTITY_SCHEME = "HUB-ID-V1"

export interface IdentityToSign {
  /** In any case. It is signed in upper case. */
  readonly method: string
  /** The website's own host name, normalised: see `normaliseHost` in request.ts. */
  readonly host: string
  /** The request target exactly as sent: path, and query if there is one. */
  readonly path: string
  /** Unix seconds, exactly as in the header. */
  readonly timestamp: string
  readonly nonce: string
}

export const identityString = ({ method, host, path, timestamp, nonce }: IdentityToSign): string =>
  `${IDENTITY_SCHEME}\n${method.toUpperCase()}\n${host}\n${path}\n${timestamp}\n${nonce}`

const NUMBER_DIGITS_MIN = 6
/** The most digits that a JavaScript integer represents exactly. */
export const NUMBER_DIGITS_MAX = 15
/** The canonical form: upper case, and zero-padded to 6 digits. */
export const AGENT_NUMBER_PATTERN = /^HX-(?:[0-9]{6}|[1-9][0-9]{6,14})$/

export const agentNumber = (number: number): string => `HX-${String(number).padStart(NUMBER_DIGITS_MIN, "0")}`

/** The number of a canonical agent number; `null` for any other text. */
export const parseAgentNumber = (text: string): number | null =>
  AGENT_NUMBER_PATTERN.test(text) ? Number(text.slice("HX-".length)) : null

/** spec 5.3: recognised anywhere in a User-Agent, in any letter case. */
const ANNOUNCEMENT = /\bHubAgent\/[^\s()/]+ \((HX-[0-9]{6,15}); \+[^\s()]+\)/i
/** Only this many characters of a User-Agent are searched. */
export const USER_AGENT_MAX = 4096

/** The canonical number that a User-Agent announces, or `null`. */
export const announcedNumber = (userAgent: string): string | null => {
  const digits = ANNOUNCEMENT.exec(userAgent.slice(0, USER_AGENT_MAX))?.[1]?.slice("HX-".length)
  if (digits === undefined || digits.length > NUMBER_DIGITS_MAX) return null
  return agentNumber(Number(digits))
}

/** The agent's announcement, exactly as its identity record shows it. */
export const userAgentOf = (version: string, number: string, idUrl: string): string =>
  `HubAgent/${version} (${number}; +${idUrl})`
