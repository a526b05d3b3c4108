/**
 * Checks that all parsers read a message in the same way (contract 22). Two parsers read each message: one to judge its
 * origin (mailauth, or the provider), one for its content (postal-mime). A stranger may write a header on which they
 * differ, or add lines above or below the part that a genuine signature covers. Pure; reads the header once, and the
 * body where a signature has a length.
 *
 * Invariants
 *  - A header line is plain if it has a field's name in printable ASCII and a colon, or continues the line above and is
 *    not blank. It contains neither a bare CR nor NUL. Every parser reads a plain line in the same way.
 *  - A field that may appear only once, but appears twice, proves nothing, whichever of the two is signed.
 */
import type { VerdictReason } from "../../../schemas/mail/records.ts"
import { type Mailbox, mailboxesIn } from "./mailboxes.ts"

const ONCE: ReadonlySet<string> = new Set([
  "from",
  "sender",
  "reply-to",
  "subject",
  "date",
  "to",
  "cc",
  "message-id",
  "mime-version",
  "content-type",
  "content-transfer-encoding",
  "content-disposition"
])

const FIELD = /^([\x21-\x39\x3b-\x7e]+)[ \t]*:/
const BLANK = /[ \t]/
const BLANK_LINE = /^[ \t]+$/

interface Field {
  readonly name: string
  /** The value with its folds. */
  readonly value: string
}

interface Form {
  readonly fields: ReadonlyArray<Field>
  /** True if every line of the header is plain. */
  readonly isPlain: boolean
}

const CR = 0x0d
const LF = 0x0a

/** Offset of the body, which follows the first empty line. */
const bodyOf = (raw: Uint8Array): number => {
  for (let at = 0; at < raw.length;) {
    const end = raw.indexOf(LF, at)
    if (end < 0) return raw.length
    if (end === at || (end === at + 1 && raw[at] === CR)) return end + 1
    at = end + 1
  }
  return raw.length
}

const formOf = (header: string): Form => {
  const fields: Array<{ name: string; value: string }> = []
  let isPlain = true
  for (const line of header.split(/\r?\n/)) {
    if (line === "") continue
    if (line.includes("\r") || line.includes("\0")) isPlain = false
    const last = fields.at(-1)
    if (BLANK.test(line.charAt(0))) {
      // Some parsers end the header at a line of blanks (RFC 5322 3.2.2).
      if (last === undefined || BLANK_LINE.test(line)) isPlain = false
      if (last !== undefined) last.value += `\r\n${line}`
      continue
    }
    const [whole = "", name = ""] = FIELD.exec(line) ?? []
    if (name === "") isPlain = false
    else fields.push({ name: name.toLowerCase(), value: line.slice(whole.length) })
  }
  return { fields, isPlain }
}

const hasTwice = (fields: ReadonlyArray<Field>): boolean => {
  const seen = new Set<string>()
  return fields.some(({ name }) => ONCE.has(name) && seen.size === seen.add(name).size)
}

const unfolded = (value: string): string => value.replaceAll("\r\n", "")

const mailboxesOf = (fields: ReadonlyArray<Field>): ReadonlyArray<Mailbox> =>
  fields
    .filter(({ name }) => name === "from")
    .flatMap(({ value }) => mailboxesIn(unfolded(Buffer.from(value, "latin1").toString())))

const domainsOf = (mailboxes: ReadonlyArray<Mailbox>): ReadonlySet<string> =>
  new Set(mailboxes.flatMap(({ address }) => (address === null ? [] : [address.slice(address.lastIndexOf("@") + 1)])))

/** The tags of a signature (RFC 6376 3.2), including repeated ones. */
const tagsOf = (value: string): ReadonlyArray<readonly [string, string]> =>
  value
    .replace(/[ \t\r\n]+/g, "")
    .split(";")
    .map((tag): readonly [string, string] => {
      const at = tag.indexOf("=")
      return at < 0 ? [tag.toLowerCase(), ""] : [tag.slice(0, at).toLowerCase(), tag.slice(at + 1)]
    })

const LABELS = 2
const suffixOf = (domain: string): string => domain.toLowerCase().split(".").slice(-LABELS).join(".")

/**
 * The number of bytes of a body that a signature counts (RFC 6376 3.4.3, 3.4.4): without the empty lines at its end.
 */
const signedLength = (body: Uint8Array, isRelaxed: boolean): number => {
  let [length, line, blank, gaps] = [0, 0, false, 0]
  const lineEnds = (): void => {
    const bytes = line
    ;[line, blank] = [0, false]
    if (bytes === 0) gaps += 2
    else {
      length += gaps + bytes + 2
      gaps = 0
    }
  }
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (byte === LF) lineEnds()
    else if (byte === CR && body[at + 1] === LF) continue
    else if (isRelaxed && (byte === 0x20 || byte === 0x09)) blank = true
    else {
      line += blank ? 2 : 1
      blank = false
    }
  }
  if (line > 0 || blank) lineEnds()
  return length
}

/** True if a signature for From's domain leaves out the end of the body. */
const isShortSigned = (fields: ReadonlyArray<Field>, from: ReadonlySet<string>, body: Uint8Array): boolean => {
  const suffixes = new Set([...from].map(suffixOf))
  return fields.some(({ name, value }) => {
    if (name !== "dkim-signature") return false
    const tags = tagsOf(value)
    const of = (wanted: string) => tags.filter(([tag]) => tag === wanted).map(([, text]) => text)
    const lengths = of("l").map((text) => Number.parseInt(text, 10))
    if (lengths.length === 0 || !of("d").some((domain) => suffixes.has(suffixOf(domain)))) return false
    const isRelaxed = of("c").some((canon) => canon.toLowerCase().endsWith("/relaxed"))
    const whole = signedLength(body, isRelaxed)
    return lengths.some((length) => !(length >= whole))
  })
}

/** The reasons why neither the signature nor the sender proves the text as it is parsed. Empty if there are none. */
export const doubtsOf = (raw: Uint8Array): ReadonlyArray<VerdictReason> => {
  const begin = bodyOf(raw)
  const { fields, isPlain } = formOf(Buffer.from(raw.subarray(0, begin)).toString("latin1"))
  const from = mailboxesOf(fields)
  const domains = domainsOf(from)
  const doubts: ReadonlyArray<readonly [VerdictReason, boolean]> = [
    ["header_malformed", !isPlain],
    ["duplicate_header", hasTwice(fields)],
    ["from_domains", domains.size > 1],
    ["from_unclear", from.some(({ isPlain }) => !isPlain) || fields.filter(({ name }) => name === "from").length > 1],
    ["body_length", isShortSigned(fields, domains, raw.subarray(begin))]
  ]
  return doubts.filter(([, isSo]) => isSo).map(([reason]) => reason)
}
