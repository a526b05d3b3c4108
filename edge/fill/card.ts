/** Which fields of a page a card goes into, and what is typed into each. Pure. */
import type { Fact, Scan } from "./page/dom.ts"
import { fieldsIn, hasToken, isTextField, namesOf, textOf } from "./forms.ts"
import { needed, type Sealed, textIn } from "./sealed.ts"
import { Refused } from "./refusal.ts"
import { saysCardNumber, saysCvc, saysExpiry, saysHolder, saysMonth, saysName, saysYear } from "./words.ts"

export interface CardForm {
  readonly form: number
  /** Several, where the number is split. */
  readonly number: ReadonlyArray<Fact>
  /** One field for both, or one each. */
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

const isCvc = (field: Fact): boolean =>
  mayHold(field) && (hasToken(field, "cc-csc") || (saysCvc(namesOf(field)) && !saysCardNumber(namesOf(field))))

const isNumber = (field: Fact): boolean => {
  if (!mayHold(field) || isCvc(field)) return false
  if (hasToken(field, "cc-number")) return true
  const text = namesOf(field)
  const long = field.max === -1 || field.max >= NUMBER_MIN_CHARS
  return long && saysCardNumber(text) && !saysExpiry(text) && !saysHolder(text)
}

/** Four short fields one after the other, the first of which tells that it is a card's number. */
const splitNumber = (fields: ReadonlyArray<Fact>): ReadonlyArray<Fact> => {
  const short = fields.filter((field) => mayHold(field) && field.max === PARTS && !isCvc(field))
  const at = short.findIndex((field) => hasToken(field, "cc-number") || saysCardNumber(textOf(field)))
  const parts = at === -1 ? [] : short.slice(at, at + PARTS).filter((field) => !saysExpiry(namesOf(field)))
  return parts.length === PARTS ? parts : []
}

const firstOf = (fields: ReadonlyArray<Fact>, is: (field: Fact) => boolean): Fact | null => fields.find(is) ?? null

const isMonth = (field: Fact): boolean =>
  hasToken(field, "cc-exp-month") ||
  (saysExpiry(textOf(field)) && saysMonth(namesOf(field)) && !saysYear(namesOf(field)))
const isYear = (field: Fact): boolean =>
  hasToken(field, "cc-exp-year") ||
  (saysExpiry(textOf(field)) && saysYear(namesOf(field)) && !saysMonth(namesOf(field)))

/** Two lists, or two fields, of which the first alone may tell what both are. */
const monthAndYear = (fields: ReadonlyArray<Fact>): readonly [Fact, Fact] | null => {
  const month = firstOf(fields, isMonth)
  const year = firstOf(fields, isYear)
  if (month !== null && year !== null) return [month, year]
  const months = fields.filter((field) => isList(field) && isMonthList(field))
  const years = fields.filter((field) => isList(field) && isYearList(field))
  const [oneMonth, oneYear] = [month ?? months[0], year ?? years[0]]
  return oneMonth !== undefined && oneYear !== undefined && oneMonth !== oneYear ? [oneMonth, oneYear] : null
}

const MONTHS = 12
const numbersIn = ({ options }: Fact): ReadonlyArray<number> =>
  options.flatMap(({ value, text }) => [value, text]).flatMap((text) => (/^\d{1,4}$/.test(text) ? [Number(text)] : []))
const isMonthList = (field: Fact): boolean => {
  const numbers = new Set(numbersIn(field))
  return (
    Array.from({ length: MONTHS }, (_, at) => at + 1).every((month) => numbers.has(month)) && numbers.size <= MONTHS + 1
  )
}
const isYearList = (field: Fact): boolean => numbersIn(field).filter((number) => number >= 2000).length >= 4

const cardFormOf = (form: number, fields: ReadonlyArray<Fact>): CardForm | null => {
  const split = splitNumber(fields)
  const [one] = split.length > 0 ? [] : fields.filter(isNumber)
  const number = one === undefined ? split : [one]
  const rest = fields.filter((field) => !number.includes(field))
  const cvc = firstOf(rest, isCvc)
  if (number.length === 0) return null
  const dated = rest.filter((field) => field !== cvc)
  const whole = firstOf(dated, (field) => hasToken(field, "cc-exp"))
  const pair = whole === null ? monthAndYear(dated) : null
  const expiry =
    whole ?? (pair === null ? firstOf(dated, (field) => mayHold(field) && saysExpiry(textOf(field))) : null)
  const left = dated.filter((field) => field !== expiry && field !== pair?.[0] && field !== pair?.[1])
  const isHolder = (field: Fact): boolean =>
    hasToken(field, "cc-name") || (isTextField(field) && saysHolder(namesOf(field)))
  const isAnyName = (field: Fact): boolean =>
    isTextField(field) && !field.full && saysName(namesOf(field)) && field.autocomplete === ""
  const name = firstOf(left, isHolder) ?? firstOf(left, isAnyName)
  return { form, number, expiry, month: pair?.[0] ?? null, year: pair?.[1] ?? null, cvc, name }
}

/** `null`: the page has no form for cards. */
export const cardIn = (scan: Scan): CardForm | null => {
  const forms = [...new Set(scan.fields.map(({ form }) => form))]
  const found = forms.flatMap((form) => cardFormOf(form, fieldsIn(scan, form)) ?? [])
  const parts = ({ expiry, month, cvc, name }: CardForm): number =>
    [expiry, month, cvc, name].filter((part) => part !== null).length
  return found.toSorted((a, b) => parts(b) - parts(a))[0] ?? null
}

const digits = (text: string): string => text.replace(/[\s-]/g, "")

/** As the field wants it: by its hint, by its length; MM/YY where it tells nothing. */
const expiryFor = (field: Fact, month: string, year: string): string => {
  const hint = `${field.hint} ${field.label}`.toLowerCase().replace(/\s/g, "")
  const long = /(?:mm|m)[/.-]?(?:yyyy|jjjj|aaaa|гггг|rrrr)/.test(hint) || field.max === 7 || field.max === 6
  const short = year.slice(-2)
  if (field.max === 4) return `${month}${short}`
  if (field.max === 6) return `${month}${year}`
  return `${month}/${long ? year : short}`
}

const partFor = (field: Fact, text: string): string => {
  if (!isList(field)) return field.max === 2 || /\b(?:yy|jj|aa)\b/i.test(field.hint) ? text.slice(-2) : text
  const wanted = Number(text)
  const short = Number(text.slice(-2))
  const found = [wanted, short].flatMap((number) =>
    field.options.filter(({ value, text: shown }) => [value, shown].some((one) => startsAs(one, number)))
  )[0]
  if (found === undefined) throw new Refused("field_not_found", "A list of the form has no such month or year.")
  return found.value
}

/** "4", "04", "04 - April". */
const startsAs = (text: string, number: number): boolean => {
  const [, leading] = /^\s*(\d{1,4})(?!\d)/.exec(text) ?? []
  return leading !== undefined && Number(leading) === number
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

/** What goes where, in the order of the form. */
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
    ...one("expiry", form.month, form.month === null ? null : partFor(form.month, month)),
    ...one("expiry", form.year, form.year === null ? null : partFor(form.year, full)),
    ...one("cvc", form.cvc, cvc),
    ...one("name", form.name, name)
  ]
  return all.toSorted((a, b) => a.field.n - b.field.n)
}
