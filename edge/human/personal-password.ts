/** Detects passwords that contain personal data of their owner, even backwards, or that are a part of such data. */
import { domainToUnicode } from "node:url"
import { compactOf, plainOf, spellingsOf } from "./password-text.ts"

export interface Person {
  readonly email: string
  readonly name: string
}

const PART_MIN_CHARS = 4

const isLongEnough = (part: string): boolean => [...part].length >= PART_MIN_CHARS

const backwards = (text: string): string => [...text].toReversed().join("")

/** Words between separators, and also between digits. */
const wordsOf = (plain: string): ReadonlyArray<string> => [
  ...plain.split(/[^\p{L}\p{N}]+/u),
  ...plain.split(/[^\p{L}]+/u)
]

/**
 * The longest label except the last: `example` of `mail.example.co.uk`. No list of public suffixes is needed for this.
 */
const nameOfDomain = (domain: string): string => {
  const labels = domain.split(".")
  const own = labels.length > 1 ? labels.slice(0, -1) : labels
  return own.reduce((longest, label) => (label.length > longest.length ? label : longest), "")
}

interface KnownWords {
  /** Complete values without separators. */
  readonly wholes: ReadonlyArray<string>
  readonly parts: ReadonlyArray<string>
}

const knownOf = ({ email, name }: Person): KnownWords => {
  const at = email.lastIndexOf("@")
  const [local, domain] = [plainOf(email.slice(0, Math.max(at, 0))), email.slice(at + 1).toLowerCase()]
  const domains = [domain, domainToUnicode(domain)].map(plainOf)
  const named = plainOf(name)
  const wholes = [named, local, ...domains.map((one) => local + one)].map(compactOf)
  const words = [...wordsOf(named), ...wordsOf(local), ...domains.map((one) => compactOf(nameOfDomain(one)))]
  return { wholes, parts: [...new Set([...wholes, ...words])].filter(isLongEnough) }
}

export const isPersonal = (password: string, person: Person): boolean => {
  const { wholes, parts } = knownOf(person)
  const spellings = spellingsOf(plainOf(password)).map(compactOf)
  return spellings
    .flatMap((text) => [text, backwards(text)])
    .some(
      (text) =>
        parts.some((part) => text.includes(part)) ||
        (isLongEnough(text) && wholes.some((whole) => whole.includes(text)))
    )
}
