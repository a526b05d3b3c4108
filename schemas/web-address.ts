/**
 * Addresses of websites as strangers write them.
 *
 * Parsing a host name that is not ASCII takes quadratic time in a label's length, and a name can be written in many
 * ways. So a name that is too long is refused by its length, before it is parsed.
 */

/**
 * The longest name that DNS allows, and its longest label (RFC 1035). The first bound also includes user name and port.
 */
const AUTHORITY_MAX_CHARS = 255
const LABEL_MAX_CHARS = 63

/** Parsers drop or escape control characters, so the parsed address would differ from the text. */
const CONTROL = /\p{Cc}/u
/** The host as parsers find it: after any number of slashes or backslashes, up to the next delimiter. */
const AUTHORITY = /^ *https?:[/\\]*([^/\\?#]*)/i
/** The full stops of all scripts, which separate labels. */
const FULL_STOP = /[.\u3002\uff0e\uff61]/

/** `null` if the text is not a complete http or https address. */
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
