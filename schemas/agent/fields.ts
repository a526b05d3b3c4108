/** The fields of an agent that come from outside, with their rules (spec 2.1, 2.2, 4.3). */
import { Schema } from "effect"
import { LIMITS } from "../limits.ts"
import { isStorable, Lines, seen, SINGLE_LINE, Storable, VISIBLE, matches } from "../plain-text.ts"
import { parseWebAddress } from "../web-address.ts"

const { limits, moderation } = LIMITS

/** Handles are lowercased on registration. Compare and store only the lower-case form (spec 2.1). */
export const HANDLE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{2,31}$/u

const HANDLE_RULE =
  `must be ${limits.handle_min_chars} to ${limits.handle_max_chars} ASCII letters, digits, "_" or "-", ` +
  "and start with a letter or digit"

export const Handle = Schema.String.check(
  Schema.isBetweenCodePoints(limits.handle_min_chars, limits.handle_max_chars, { message: HANDLE_RULE }),
  Schema.isPattern(HANDLE_PATTERN, { message: HANDLE_RULE })
)

export const Name = Storable.check(
  Schema.isBetweenCodePoints(1, limits.name_max_chars, { message: `must be 1 to ${limits.name_max_chars} characters` }),
  matches(SINGLE_LINE, "must be one line without control characters"),
  matches(VISIBLE, "must not be blank"),
  seen
)

export const Description = Lines.check(
  Schema.isMaxCodePoints(limits.description_max_chars, {
    message: `must be at most ${limits.description_max_chars} characters`
  })
)

export const Transparency = Lines.check(
  Schema.isMaxCodePoints(limits.transparency_max_chars, {
    message: `must be at most ${limits.transparency_max_chars} characters`
  })
)

export const AppealText = Lines.check(
  Schema.isBetweenCodePoints(1, moderation.appeal_max_chars, {
    message: `must be 1 to ${moderation.appeal_max_chars} characters`
  }),
  matches(VISIBLE, "must not be blank")
)

const webAddressOf = (text: string): URL | null =>
  isStorable(text) && text.length <= limits.url_max_chars ? parseWebAddress(text) : null

const notTooLong = Schema.isMaxLength(limits.url_max_chars, {
  message: `must be an address of at most ${limits.url_max_chars} characters`
})

const NO_LOGIN = "must not hold a user name or password"
const hasLogin = ({ username, password }: URL): boolean => username !== "" || password !== ""

const WebAddress = Storable.check(
  notTooLong,
  Schema.makeFilter((text: string) => {
    const url = webAddressOf(text)
    if (url === null) return "must be an http or https address"
    // A login in an address is refused, because everybody can read a profile and the log keeps it.
    return !hasLogin(url) || NO_LOGIN
  })
)

/** The deployment's settings decide which addresses are allowed: `webhookAddressProblem`. */
export const WebhookAddress = Schema.NullOr(Schema.String.check(notTooLong))

export const Link = Schema.Struct({
  label: Storable.check(
    Schema.isBetweenCodePoints(1, limits.link_label_max_chars, {
      message: `must be 1 to ${limits.link_label_max_chars} characters`
    }),
    matches(SINGLE_LINE, "must be one line without control characters")
  ),
  url: WebAddress
})
export type Link = typeof Link.Type

const encoder = new TextEncoder()

const bytesOf = (links: ReadonlyArray<Link>): number =>
  links.reduce((sum, { label, url }) => sum + encoder.encode(label).length + encoder.encode(url).length, 0)

export const Links = Schema.Array(Link).check(
  Schema.isMaxLength(limits.links_max, { message: `must hold at most ${limits.links_max} links` }),
  Schema.makeFilter(
    (links: ReadonlyArray<Link>) =>
      bytesOf(links) <= limits.links_max_bytes || `must be at most ${limits.links_max_bytes} bytes in UTF-8 together`,
    { bounds: { maximum: limits.links_max_bytes } }
  )
)

/** A handle must not read as a hub id or an agent number: a reference names one agent only (spec 2.1). */
export const LOOKS_LIKE_IDENTITY = /^(hx[0-9a-f]{24}|hx-\d+)$/

/** spec 2.1. The deployment's own name is reserved too. */
export const RESERVED_HANDLES: ReadonlySet<string> = new Set([
  "nexus",
  "admin",
  "api",
  "me",
  "system",
  "root",
  "support",
  "null",
  "undefined",
  "operator",
  "moderator",
  "staff",
  "official"
])

/**
 * Checks a webhook's address (contract 4): https in production, and port 443 or 1024 and above. Development also allows
 * http, and port 80. The IP address of the name is checked when a delivery connects, not here. Returns the rule that is
 * broken, or `null`.
 */
export const webhookAddressProblem = (text: string, production: boolean): string | null => {
  const url = webAddressOf(text)
  if (url === null) return `must be an https address of at most ${limits.url_max_chars} characters`
  if (hasLogin(url)) return NO_LOGIN
  if (production && url.protocol !== "https:") return "must be an https address"
  const port = url.port === "" ? 443 : Number(url.port)
  return port === 443 || port >= 1024 || (!production && port === 80)
    ? null
    : "must use port 443 or a port from 1024 up"
}
