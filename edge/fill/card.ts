/** Decides which fields of a page a card goes into, and the text that is typed into each. Pure. */
import type { Fact, Scan } from "./page/dom.ts"
import { fieldsIn, hasToken, isTextField, namesOf, textOf, tokensOf } from "./forms.ts"
import { isMonthList, isYearList, monthValue, yearValue } from "./months.ts"
import { needed, type Sealed, textIn } from "./sealed.ts"
import { Refused } from "./refusal.ts"
import {
  plain,
  saysCardNumber,
  saysCvc,
  saysExpiry,
  saysHolder,
  saysMonth,
  saysName,
  saysOtherCard,
  saysOtherDate,
  saysYear
} from "./words.ts"

export interface CardForm {
  readonly form: number
  /** Several fields if the number is split. */
  readonly number: ReadonlyArray<Fact>
  /** One field for month and year, or one for each. */
  readonly expiry: Fact | null
  readonly month: Fact | null
  readonly year: Fact | null
  readonly cvc: Fact | null
  readonly name: Fact | null
}

export interface Typed {
  readonly name: "number" | "expiry" | "cvc" | "name"
  readonly field: Fact
  readonly text: string
}

const CODE_MAX_CHARS = 4
const PARTS = 4
const NUMBER_MIN_CHARS = 12

const mayHold = (field: Fact): boolean => isTextField(field) || field.type === "password"
const isList = ({ tag }: Fact): boolean => tag === "select"

type Says = (text: string) => boolean

/**
 * An autocomplete token identifies a field for certain. Without a token, visible text counts more than names in the
 * source.
 */
const BY_TOKEN = 100
const BY_LABEL = 4
const BY_NAME = 2
const BY_HINT = 1

/** Matches tokens of fields for something else than the wanted part. */
const OTHER_TOKEN = /^(?:cc-|tel|bday|address-|street-|country|organization)|(?:name|email|-code|-password)$/

/** The evidence for a field, higher for a surer sign; 0 if there is none. */
const scoreOf = (field: Fact, token: string, says: Says): number => {
  const isOther = saysOtherCard(namesOf(field)) || saysOtherCard(plain(field.hint))
  const said = says(plain(field.label)) ? BY_LABEL : 0
  const named = says(plain(`${field.name} ${field.id}`)) ? BY_NAME : 0
  const score = said + named + (says(plain(field.hint)) ? BY_HINT : 0)
  if (hasToken(field, token)) return BY_TOKEN + (isOther ? -score : score)
  return isOther || tokensOf(field).some((one) => OTHER_TOKEN.test(one)) ? 0 : score
}

interface Best {
  readonly score: number
  /** Several fields if they cannot be distinguished. */
  readonly fields: ReadonlyArray<Fact>
}

const NONE: Best = { score: 0, fields: [] }

const bestOf = (fields: ReadonlyArray<Fact>, score: (field: Fact) => number): Best => {
  const scored = fields.map((field) => ({ field, score: score(field) }))
  const best = Math.max(0, ...scored.map((one) => one.score))
  return best === 0
    ? NONE
    : { score: best, fields: scored.filter((one) => one.score === best).map(({ field }) => field) }
}

const cvcScore = (field: Fact): number =>
  mayHold(field) ? scoreOf(field, "cc-csc", (text) => saysCvc(text) && !saysCardNumber(text)) : 0

/** For example "1234 1234 1234 1234". */
const SAMPLE = /(?:[\dx•*#]{4}[ -]?){3}/i

const numberScore = (field: Fact): number => {
  const long = field.max === -1 || field.max >= NUMBER_MIN_CHARS
  if (!mayHold(field) || !long) return 0
  const hint = plain(field.hint)
  const isOther = (text: string): boolean => saysExpiry(text) || saysHolder(text) || saysCvc(text)
  if (!hasToken(field, "cc-number") && (isOther(namesOf(field)) || (isOther(hint) && !saysCardNumber(hint)))) return 0
  return (
    scoreOf(field, "cc-number", saysCardNumber) ||
    (SAMPLE.test(field.hint) ? scoreOf(field, "cc-number", () => true) && BY_HINT : 0)
  )
}

/** Four short fields in a row, the first of which is labeled as a card's number. */
const splitNumber = (fields: ReadonlyArray<Fact>): ReadonlyArray<Fact> => {
  const short = fields.filter((field) => mayHold(field) && field.max === PARTS && cvcScore(field) === 0)
  const at = short.findIndex((field) => scoreOf(field, "cc-number", saysCardNumber) > 0)
  const parts = at === -1 ? [] : short.slice(at, at + PARTS).filter((field) => !saysExpiry(namesOf(field)))
  return parts.length === PARTS ? parts : []
}

const isMonthOnly = (text: string): boolean => saysMonth(text) && !saysYear(text)
const isYearOnly = (text: string): boolean => saysYear(text) && !saysMonth(text)
/** Extra evidence for a field that mentions a card's expiry. */
const expiryBonus = (field: Fact): number => (saysExpiry(textOf(field)) ? BY_LABEL : 0)
const isOtherDate = (field: Fact): boolean => saysOtherDate(textOf(field)) && !saysExpiry(textOf(field))

const partScore = (
  field: Fact,
  token: string,
  { says, isListOf }: { readonly says: Says; readonly isListOf: (field: Fact) => boolean }
): number => {
  if (hasToken(field, token)) return scoreOf(field, token, says)
  if ((!isList(field) && !mayHold(field)) || isOtherDate(field) || saysCardNumber(namesOf(field))) return 0
  const listed = isList(field) && isListOf(field) ? scoreOf(field, token, () => true) && BY_HINT : 0
  const own = scoreOf(field, token, says) + listed
  return own === 0 ? 0 : own + expiryBonus(field)
}
const monthScore = (field: Fact): number =>
  saysYear(namesOf(field)) && !saysMonth(namesOf(field))
    ? 0
    : partScore(field, "cc-exp-month", { says: isMonthOnly, isListOf: isMonthList })
const yearScore = (field: Fact): number =>
  saysMonth(namesOf(field)) && !saysYear(namesOf(field)) && !isYearList(field)
    ? 0
    : partScore(field, "cc-exp-year", { says: isYearOnly, isListOf: isYearList })

const WHOLE_MIN_CHARS = 4
const wholeScore = (field: Fact): number => {
  const long = field.max === -1 || field.max >= WHOLE_MIN_CHARS
  if (!mayHold(field) || !long) return 0
  if (!hasToken(field, "cc-exp") && (isOtherDate(field) || isMonthOnly(textOf(field)) || isYearOnly(textOf(field))))
    return 0
  return scoreOf(field, "cc-exp", saysExpiry)
}

interface Expiry {
  readonly whole: Best
  readonly month: Best
  readonly year: Best
}

/** The expiry in one field or in two, whichever has more evidence. */
const expiryIn = (fields: ReadonlyArray<Fact>): Expiry => {
  const whole = bestOf(fields, wholeScore)
  const month = bestOf(fields, monthScore)
  const year = bestOf(
    fields.filter((field) => field !== month.fields[0]),
    yearScore
  )
  const isPair = month.score > 0 && year.score > 0
  return isPair && Math.max(month.score, year.score) >= whole.score
    ? { whole: NONE, month, year }
    : { whole, month: NONE, year: NONE }
}

const nameIn = (fields: ReadonlyArray<Fact>): Best => {
  const texts = fields.filter(isTextField)
  const holder = bestOf(texts, (field) => scoreOf(field, "cc-name", saysHolder))
  if (holder.score > 0) return holder
  const named = texts.filter((field) => !field.full && saysName(namesOf(field)) && field.autocomplete === "")
  return named.length === 1 ? { score: BY_NAME, fields: named } : NONE
}

interface Candidate {
  readonly form: CardForm
  readonly score: number
  /** Parts of a card for which two fields are equally likely. */
  readonly ambiguous: ReadonlyArray<string>
}

const cardFormOf = (form: number, fields: ReadonlyArray<Fact>): Candidate | null => {
  const one = bestOf(fields, numberScore)
  const split = one.fields.length === 0 ? splitNumber(fields) : []
  const number = split.length > 0 ? split : one.fields.slice(0, 1)
  const cvc = bestOf(
    fields.filter((field) => !number.includes(field)),
    cvcScore
  )
  if (number.length === 0 && cvc.fields.length === 0) return null
  const dated = fields.filter((field) => !number.includes(field) && field !== cvc.fields[0])
  const { whole, month, year } = expiryIn(dated)
  const taken = [whole, month, year].flatMap((best) => best.fields)
  const name = nameIn(dated.filter((field) => !taken.includes(field)))
  const parts = { number: one, expiry: whole, month, year, cvc, name }
  const first = ({ fields: [field] }: Best): Fact | null => field ?? null
  return {
    form: {
      form,
      number,
      expiry: first(whole),
      month: first(month),
      year: first(year),
      cvc: first(cvc),
      name: first(name)
    },
    score: Object.values(parts).reduce((sum, { score }) => sum + score, split.length > 0 ? BY_LABEL : 0),
    ambiguous: Object.entries(parts).flatMap(([part, best]) => (best.fields.length > 1 ? [part] : []))
  }
}

/** Names of required parts that the form has no field for. */
export const missingIn = ({ number, expiry, month, year, cvc }: CardForm): ReadonlyArray<string> => [
  ...(number.length === 0 ? ["number"] : []),
  ...(expiry === null && (month === null || year === null) ? ["expiry"] : []),
  ...(cvc === null ? ["cvc"] : [])
]

const ambiguous = (fields: ReadonlyArray<string>): Refused =>
  new Refused("field_ambiguous", "The page has two equal fields or forms for this card. Fill the form yourself.", {
    fields
  })

/**
 * The form for cards that has most of the necessary fields; `null` if the page has none. Throws if its fields are
 * complete, but two fields or two forms are equally likely.
 */
export const cardIn = (scan: Scan): CardForm | null => {
  const forms = [...new Set(scan.fields.map(({ form }) => form))]
  const found = forms.flatMap((form) => cardFormOf(form, fieldsIn(scan, form)) ?? [])
  const missing = ({ form }: Candidate): number => missingIn(form).length
  const [best, next] = found.toSorted((a, b) => missing(a) - missing(b) || b.score - a.score)
  if (best === undefined) return null
  if (missing(best) > 0) return best.form
  if (best.ambiguous.length > 0) throw ambiguous(best.ambiguous)
  if (next !== undefined && missing(next) === 0 && next.score === best.score) throw ambiguous(["form"])
  return best.form
}

const digits = (text: string): string => text.replace(/[\s-]/g, "")

/** The expiry in the format that the field's hint or length asks for; MM/YY if it has neither. */
const expiryFor = (field: Fact, month: string, year: string): string => {
  const hint = `${field.hint} ${field.label}`.toLowerCase().replace(/\s/g, "")
  const long = /(?:mm|m)[/.-]?(?:yyyy|jjjj|aaaa|гггг|rrrr)/.test(hint) || field.max === 7 || field.max === 6
  const short = year.slice(-2)
  if (field.max === 4) return `${month}${short}`
  if (field.max === 6) return `${month}${year}`
  return `${month}/${long ? year : short}`
}

const chosen = (value: string | null): string => {
  if (value === null) throw new Refused("field_not_found", "A list of the form does not have the card's month or year.")
  return value
}

const monthFor = (field: Fact, month: string): string =>
  isList(field) ? chosen(monthValue(field, Number(month))) : month
const yearFor = (field: Fact, year: string): string => {
  if (isList(field)) return chosen(yearValue(field, Number(year)))
  return field.max === 2 || /\b(?:yy|jj|aa|rr|гг)\b/i.test(field.hint) ? year.slice(-2) : year
}

const numberParts = ({ number }: CardForm, text: string): ReadonlyArray<Typed> => {
  const [first] = number
  if (first !== undefined && number.length === 1) return [{ name: "number", field: first, text }]
  const cut = number.map((field, at) => ({
    name: "number" as const,
    field,
    text: at === number.length - 1 ? text.slice(at * PARTS) : text.slice(at * PARTS, (at + 1) * PARTS)
  }))
  return cut.filter((part) => part.text !== "")
}

export const typedCard = (form: CardForm, sealed: Sealed): ReadonlyArray<Typed> => {
  const [month, year] = [needed(sealed, "exp_month").padStart(2, "0"), needed(sealed, "exp_year")]
  const full = year.length === 2 ? `20${year}` : year
  const cvc = needed(sealed, "cvc").slice(0, CODE_MAX_CHARS)
  const name = textIn(sealed, "name")
  const one = (as: Typed["name"], field: Fact | null, text: string | null): ReadonlyArray<Typed> =>
    field === null || text === null ? [] : [{ name: as, field, text }]
  const all = [
    ...numberParts(form, digits(needed(sealed, "number"))),
    ...one("expiry", form.expiry, form.expiry === null ? null : expiryFor(form.expiry, month, full)),
    ...one("expiry", form.month, form.month === null ? null : monthFor(form.month, month)),
    ...one("expiry", form.year, form.year === null ? null : yearFor(form.year, full)),
    ...one("cvc", form.cvc, cvc),
    ...one("name", form.name, name)
  ]
  return all.toSorted((a, b) => a.field.n - b.field.n)
}
