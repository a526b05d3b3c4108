/** Checks that DNS has the records that a domain needs. Pure. */
import type { DnsRecord } from "../../schemas/mail-domain/records.ts"
import { type DnsAnswers, hostName } from "../mail/noun.ts"

/** One entry for each record: whether DNS has it; `null` if no name server answered. */
export type RecordMatches = ReadonlyArray<boolean | null>

/** Parses a list of tags such as `a=b; c=d`, and removes blanks. If a tag is repeated, the first one counts. */
const tagsOf = (text: string): ReadonlyMap<string, string> => {
  const tags = new Map<string, string>()
  for (const part of text.split(";")) {
    const at = part.indexOf("=")
    const name = part.slice(0, Math.max(0, at)).trim().toLowerCase()
    if (name !== "" && !tags.has(name)) tags.set(name, part.slice(at + 1).replaceAll(/\s/g, ""))
  }
  return tags
}

const mechanismsOf = (text: string): ReadonlyArray<string> => text.trim().toLowerCase().split(/\s+/)

const isSpf = (text: string): boolean => mechanismsOf(text)[0] === "v=spf1"

/**
 * The record may name other mail providers as well; only the part that lets us send must be there. More than one record
 * is an error (RFC 7208).
 */
const letsSend = (wanted: string, told: ReadonlyArray<string>): boolean => {
  const rules = told.filter(isSpf)
  const [rule] = rules
  if (rule === undefined || rules.length > 1) return false
  const has = mechanismsOf(rule).map((one) => one.replace(/^\+/, ""))
  return mechanismsOf(wanted)
    .filter((one) => one.startsWith("include:") || one === "mx")
    .every((one) => has.includes(one))
}

const isKey = (wanted: string, text: string): boolean => {
  const [ours, told] = [tagsOf(wanted), tagsOf(text)]
  return told.get("p") === ours.get("p") && (told.get("k") ?? "rsa") === (ours.get("k") ?? "rsa")
}

const stands = ({ type, purpose, value }: DnsRecord, told: ReadonlyArray<string>): boolean => {
  if (type === "MX" || type === "CNAME") return told.includes(hostName(value))
  if (purpose === "spf") return letsSend(value, told)
  if (purpose === "dkim") return told.some((text) => isKey(value, text))
  // The owner may choose any policy.
  if (purpose === "dmarc") return told.some((text) => tagsOf(text).get("v") === "DMARC1")
  return told.some((text) => text.trim() === value)
}

/** A record exists if one server has it. It does not exist if at least one server answered, and none has it. */
export const foundIn = (record: DnsRecord, answers: DnsAnswers): boolean | null =>
  answers === null ? null : answers.some((told) => stands(record, told))

const nameOf = ({ type, name }: DnsRecord): string => `${type} ${name}`

/** Required records that are missing. Records that no server answered for are not among them. */
export const missingOf = (records: ReadonlyArray<DnsRecord>, found: RecordMatches): ReadonlyArray<string> =>
  records.filter(({ required }, index) => required && found[index] === false).map(nameOf)

export const hasAll = (records: ReadonlyArray<DnsRecord>, found: RecordMatches): boolean =>
  records.every(({ required }, index) => !required || found[index] === true)

/** True if DNS has the record that proves the claim; `null` if no server answered. */
export const provenBy = (records: ReadonlyArray<DnsRecord>, found: RecordMatches): boolean | null => {
  const index = records.findIndex(({ purpose }) => purpose === "verification")
  return index < 0 ? null : (found[index] ?? null)
}
