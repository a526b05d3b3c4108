/**
 * Addresses on the web, as strangers write them down.
 *
 * Parsing a host's name that is not ASCII costs the square of a label's length, in each of many spellings. So a name
 * that none can have is refused by a look at its length, before anything is parsed.
 */

/**
 * The longest name that DNS allows, and the longest label of it (RFC 1035). The first holds for user name and port as
 * well.
 */
const AUTHORITY_MAX_CHARS = 255
const LABEL_MAX_CHARS = 63

/** Parsers drop some of them and escape others: the address is not what it reads as. */
const CONTROL = /\p{Cc}/u
/** As parsers see it: any number of slashes of either sort, then everything up to the next mark. */
const AUTHORITY = /^ *https?:[/\\]*([^/\\?#]*)/i
/** The full stops of all scripts: each ends a label. */
const FULL_STOP = /[.\u3002\uff0e\uff61]/

/** `null` for what is no whole http or https address that anything could be at. */
export const parseWebAddress = (text: string): URL | null => {
  if (CONTROL.test(text)) return null
  const authority = AUTHORITY.exec(text)?.[1]
  if (authority === undefined || authority.length > AUTHORITY_MAX_CHARS) return null
  const host = authority.slice(authority.lastIndexOf("@") + 1)
  if (host.split(FULL_STOP).some((label) => label.length > LABEL_MAX_CHARS)) return null
  try {
    return new URL(text)
  } catch {
    return null
  }
}
