/**
 * Finds numbers of payment cards in a text, by issuer, length and check digit (ISO/IEC 7812). Digits may be together or
 * in groups as they are printed. Digits inside a longer word, or after a `+` as in phone numbers, are no card number.
 */
interface Issuer {
  /** First digits, from and to. */
  readonly from: number
  readonly to: number
  readonly lengths: ReadonlyArray<number>
}

const ISSUERS: ReadonlyArray<Issuer> = [
  { from: 4, to: 4, lengths: [13, 16, 19] },
  { from: 51, to: 55, lengths: [16] },
  { from: 2221, to: 2720, lengths: [16] },
  { from: 34, to: 34, lengths: [15] },
  { from: 37, to: 37, lengths: [15] },
  { from: 300, to: 305, lengths: [14] },
  { from: 36, to: 36, lengths: [14] },
  { from: 38, to: 39, lengths: [14] },
  { from: 6011, to: 6011, lengths: [16, 19] },
  { from: 644, to: 659, lengths: [16, 19] },
  { from: 3528, to: 3589, lengths: [16] },
  { from: 5018, to: 5020, lengths: [16, 18, 19] },
  { from: 5038, to: 5038, lengths: [16, 18, 19] },
  { from: 5893, to: 5893, lengths: [16, 18, 19] },
  { from: 6304, to: 6304, lengths: [16, 18, 19] },
  { from: 6759, to: 6763, lengths: [16, 18, 19] },
  { from: 62, to: 62, lengths: [16, 17, 18, 19] }
]

/** Groups of digits, as printed: 4 and then up to 7, or all in one. */
const FIRST_GROUP = 4
const GROUPED_MAX = 7
const GROUPS_MAX = 5
const DIGITS_MIN = 13
const DIGITS_MAX = 19

/** Digits in groups with the usual separators, without letters directly before or after them. */
const RUNS = /[0-9]+(?:[\p{Zs}\p{Pd}\t\r\n.]{1,2}[0-9]+)*/gu
const BETWEEN = /[\p{Zs}\p{Pd}\t\r\n.]{1,2}/u
const WORDLIKE = /[\p{L}\p{N}_+]/u

const hasCheckDigit = (digits: string): boolean => {
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    const doubled = at % 2 === 0 ? digit : digit * 2
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

const isIssued = (digits: string): boolean =>
  ISSUERS.some(({ from, to, lengths }) => {
    const begin = Number(digits.slice(0, String(from).length))
    return begin >= from && begin <= to && lengths.includes(digits.length)
  })

const isCard = (digits: string): boolean =>
  digits.length >= DIGITS_MIN && digits.length <= DIGITS_MAX && isIssued(digits) && hasCheckDigit(digits)

/** Tests each group together with those that follow it. */
const inGroups = (groups: ReadonlyArray<string>): boolean =>
  groups.some((first, from) => {
    if (isCard(first)) return true
    if (first.length !== FIRST_GROUP) return false
    let digits = first
    for (const group of groups.slice(from + 1, from + GROUPS_MAX)) {
      if (group.length > GROUPED_MAX) return false
      digits += group
      if (isCard(digits)) return true
    }
    return false
  })

export const holdsCardNumber = (text: string): boolean => {
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    if (run.length < DIGITS_MIN) continue
    const [before, behind] = [text[index - 1] ?? "", text[index + run.length] ?? ""]
    if (WORDLIKE.test(before) || WORDLIKE.test(behind)) continue
    if (inGroups(run.split(BETWEEN))) return true
  }
  return false
}
