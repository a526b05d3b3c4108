/** Decides whether an agent may declare a domain (spec 4.9; contract 20). */
import { isIP } from "node:net"
import { domainToUnicode } from "node:url"
import { parse } from "tldts"
import { invalidField, type Refusal, refusal } from "../../schemas/errors.ts"
import { isDropped } from "../../schemas/unseen.ts"
import { mailDomain } from "../../schemas/mail/settings.ts"

/**
 * Names that are valid only inside a network, or nowhere. Names for examples and tests are allowed, because they cannot
 * be resolved.
 */
const LOCAL: ReadonlySet<string> = new Set([
  "alt",
  "arpa",
  "internal",
  "invalid",
  "local",
  "localdomain",
  "localhost",
  "onion"
])

/** Letters of other scripts that look like Latin ones. */
const DRAWN_ALIKE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    а: "a",
    в: "b",
    е: "e",
    к: "k",
    м: "m",
    н: "h",
    о: "o",
    р: "p",
    с: "c",
    т: "t",
    у: "y",
    х: "x",
    і: "l",
    ј: "j",
    ѕ: "s",
    ԁ: "d",
    ѵ: "v",
    һ: "h",
    α: "a",
    ε: "e",
    ι: "l",
    κ: "k",
    ν: "v",
    ο: "o",
    ρ: "p",
    τ: "t",
    υ: "u",
    χ: "x",
    ı: "l",
    ɡ: "g",
    "0": "o",
    "1": "l",
    i: "l"
  })
)

const reserved = (why: string): { readonly refused: Refusal } => ({
  refused: refusal("email_domain_reserved", `This domain cannot be declared: ${why}.`)
})

const INVALID = { refused: invalidField("domain", "domain must be the name of a domain, such as example.org") }

const isAddress = (text: string): boolean => {
  const bare = text.replace(/^\[|\]$/g, "")
  if (isIP(bare) !== 0) return true
  // Recognizes other spellings of IPv4 addresses, such as 0x7f.1.
  return URL.canParse(`http://${text}`) && isIP(new URL(`http://${text}`).hostname.replace(/^\[|\]$/g, "")) !== 0
}

const isLabel = (text: string): boolean => /^[^\s./?#@:\\%[\]]+$/.test(text)

/** The visual form of a domain: without accents, dots and dashes, and with look-alike letters replaced. */
const drawn = (domain: string): string =>
  [...domainToUnicode(domain).normalize("NFKD").toLowerCase()]
    .filter((char) => !/[\p{M}.\-_]/u.test(char))
    .map((char) => DRAWN_ALIKE.get(char) ?? char)
    .join("")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")

const registrable = (domain: string): string | null => parse(domain, { allowPrivateDomains: true }).domain

/** The domain and its parents, up to the registered one. */
const upwards = (domain: string): ReadonlyArray<string> => {
  const base = registrable(domain)
  if (base === null || base === domain) return [domain]
  return [domain, ...upwards(domain.slice(domain.indexOf(".") + 1))]
}

const isRelated = (domain: string, own: string): boolean =>
  domain === own || domain.endsWith(`.${own}`) || own.endsWith(`.${domain}`)

/**
 * True for a look-alike, of which there are two kinds. The domain or a parent of it looks like the service's name or
 * like its registered domain (`0urs.example`, `mail-ours.example` for `ours.example`). Or its labels contain the
 * service's whole name before another name (`ours.example.evil.org`, `ours-example.evil.org`).
 */
const isLookAlike = (domain: string, own: string): boolean => {
  const ours = [own, registrable(own) ?? own]
  if (ours.some((one) => `.${domain}.`.includes(`.${one}.`) && !domain.endsWith(one))) return true
  if (ours.some((one) => domain.split(".").some((label) => drawn(label) === drawn(one)))) return true
  return upwards(domain).some((one) => !ours.includes(one) && ours.some((other) => drawn(one) === drawn(other)))
}

/** The service's own names. `hosts` may have a port. */
export const ownNames = (hosts: ReadonlyArray<string | null>): ReadonlyArray<string> =>
  hosts.flatMap((host) => mailDomain((host ?? "").replace(/:\d+$/, "")) ?? [])

/** Returns the domain as an A-label, or the reason why it cannot be declared. */
export const declarable = (
  text: string,
  own: ReadonlyArray<string>
): { readonly domain: string } | { readonly refused: Refusal } => {
  const trimmed = text.trim().replace(/\.$/, "")
  if (isAddress(trimmed)) return reserved("it is an address")
  if (isLabel(trimmed)) return reserved("it is one label")
  const domain = mailDomain(trimmed)
  if (domain === null || isDropped(trimmed)) return INVALID
  if (LOCAL.has(domain.slice(domain.lastIndexOf(".") + 1))) return reserved("it is a name of local networks")
  if (own.some((one) => isRelated(domain, one))) return reserved("it is the service's own, or above or below it")
  if (registrable(domain) === null) return reserved("others register names below it")
  if (own.some((one) => isLookAlike(domain, one))) return reserved("it looks like the service's own")
  return { domain }
}
