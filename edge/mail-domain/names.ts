/** Which domains an agent may declare (spec 4.9; contract 20). */
import { isIP } from "node:net"
import { domainToUnicode } from "node:url"
import { parse } from "tldts"
import { invalidField, type Refusal, refusal } from "../../schemas/errors.ts"
import { mailDomain } from "../../schemas/mail/settings.ts"

/** Names that mean something within a network alone, or nothing; those for examples and tests resolve nowhere, and harm nobody. */
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

/** Letters of other scripts that are drawn like those of ours. */
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
  // Other spellings of IPv4, such as 0x7f.1.
  return URL.canParse(`http://${text}`) && isIP(new URL(`http://${text}`).hostname.replace(/^\[|\]$/g, "")) !== 0
}

const isLabel = (text: string): boolean => /^[^\s./?#@:\\%[\]]+$/.test(text)

/** As an eye takes it in: without accents, dots and dashes, look-alike letters as one. */
const drawn = (domain: string): string =>
  [...domainToUnicode(domain).normalize("NFKD").toLowerCase()]
    .filter((char) => !/[\p{M}.\-_]/u.test(char))
    .map((char) => DRAWN_ALIKE.get(char) ?? char)
    .join("")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w")

const registrable = (domain: string): string | null => parse(domain, { allowPrivateDomains: true }).domain

/** It, and what it is below, down to what is registered. */
const upwards = (domain: string): ReadonlyArray<string> => {
  const base = registrable(domain)
  if (base === null || base === domain) return [domain]
  return [domain, ...upwards(domain.slice(domain.indexOf(".") + 1))]
}

const isRelated = (domain: string, own: string): boolean =>
  domain === own || domain.endsWith(`.${own}`) || own.endsWith(`.${domain}`)

/**
 * A look-alike is a domain, or is below one, that is drawn like the service's or like what that is registered under
 * (`ours.example` as `0urs.example`, `mail-ours.example`); and one in whose labels the service's name stands whole before
 * something else (`ours.example.evil.org`, `ours-example.evil.org`).
 */
const isLookAlike = (domain: string, own: string): boolean => {
  const ours = [own, registrable(own) ?? own]
  if (ours.some((one) => `.${domain}.`.includes(`.${one}.`) && !domain.endsWith(one))) return true
  if (ours.some((one) => domain.split(".").some((label) => drawn(label) === drawn(one)))) return true
  return upwards(domain).some((one) => !ours.includes(one) && ours.some((other) => drawn(one) === drawn(other)))
}

/** Names of the service itself, from hosts that may have a port. */
export const ownNames = (hosts: ReadonlyArray<string | null>): ReadonlyArray<string> =>
  hosts.flatMap((host) => mailDomain((host ?? "").replace(/:\d+$/, "")) ?? [])

/** The domain as A-label, or why it is none that may be declared. */
export const declarable = (
  text: string,
  own: ReadonlyArray<string>
): { readonly domain: string } | { readonly refused: Refusal } => {
  const trimmed = text.trim().replace(/\.$/, "")
  if (isAddress(trimmed)) return reserved("it is an address")
  if (isLabel(trimmed)) return reserved("it is one label")
  const domain = mailDomain(trimmed)
  if (domain === null) return INVALID
  if (LOCAL.has(domain.slice(domain.lastIndexOf(".") + 1))) return reserved("it is a name of local networks")
  if (own.some((one) => isRelated(domain, one))) return reserved("it is the service's own, or above or below it")
  if (registrable(domain) === null) return reserved("others register names below it")
  if (own.some((one) => isLookAlike(domain, one))) return reserved("it looks like the service's own")
  return { domain }
}
