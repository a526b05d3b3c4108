/** Reads the sum to be paid from a page's lines. Pure. */
import { exponentOf, isCurrency, minorOf } from "../../schemas/vault/money.ts"
import { plain, saysPartial, saysPay, saysTotal } from "./words.ts"

/** Digits with separators of groups and decimals. */
const NUMBER = /\d[\d.,'’\u00a0\u202f\u2009 ]{0,30}/g
const SIGNS: Readonly<Record<string, ReadonlyArray<string>>> = {
  "€": ["EUR"],
  "£": ["GBP", "GIP", "FKP", "SHP", "EGP"],
  "₺": ["TRY"],
  "₽": ["RUB"],
  "₩": ["KRW"],
  "₹": ["INR"],
  "¥": ["JPY", "CNY"],
  "￥": ["JPY", "CNY"],
  円: ["JPY"],
  元: ["CNY", "TWD", "HKD"],
  zł: ["PLN"],
  $: "USD,CAD,AUD,NZD,SGD,HKD,TWD,MXN,ARS,CLP,COP,UYU,BRL,BBD,BMD,BSD,BZD,FJD,GYD,JMD,KYD,LRD,NAD,SBD,SRD,TTD".split(
    ","
  )
}

const THOUSAND = 3
/** Matches an amount without punctuation at the end. */
const AMOUNT = /^(?:\d|[.,](?=\d))*/

/**
 * The amounts that a number may mean. "1.234,56" has decimals after its last separator, "1.234" has thousands there. In
 * a currency with three decimals "1.234" may mean both.
 */
export const amountsOf = (text: string, currency: string): ReadonlyArray<number> => {
  const [compact = ""] = text.replace(/[^\d.,]/g, "").match(AMOUNT) ?? []
  const at = Math.max(compact.lastIndexOf("."), compact.lastIndexOf(","))
  const digits = (part: string): string => part.replace(/[.,]/g, "")
  const whole = minorOf(digits(compact), currency)
  if (at === -1) return whole === null ? [] : [whole]
  const split = minorOf(`${digits(compact.slice(0, at))}.${compact.slice(at + 1)}`, currency)
  const mixed = compact.includes(".") && compact.includes(",")
  const grouped = compact.length - at - 1 === THOUSAND && !mixed
  const readings = grouped ? [whole, ...(exponentOf(currency) === THOUSAND ? [split] : [])] : [split]
  return readings.filter((one) => one !== null)
}

/** All currencies that the signs and codes in a line may mean. */
const currenciesIn = (line: string): ReadonlyArray<string> => [
  ...Object.entries(SIGNS).flatMap(([sign, codes]) => (line.includes(sign) ? codes : [])),
  ...(line.match(/\b[A-Z]{3}\b/g) ?? []).filter(isCurrency)
]

/** The amounts of a line in a currency; `[null]` if the line has only another currency. */
const amountsIn = (line: string, currency: string): ReadonlyArray<number | null> => {
  const others = currenciesIn(line)
  if (others.length > 0 && !others.includes(currency)) return [null]
  return [...line.matchAll(NUMBER)].flatMap(([text]) => amountsOf(text, currency))
}

const isTotal = (line: string): boolean => saysTotal(plain(line)) && !saysPartial(plain(line))

type Problem = "amount_mismatch" | "currency_mismatch"

const judged = (told: ReadonlyArray<number | null>, minor: number): Problem | null => {
  if (told.length === 0 || told.includes(minor)) return null
  return told.every((one) => one === null) ? "currency_mismatch" : "amount_mismatch"
}

/**
 * Describes the difference between the page's sum and `minor`; `null` if they agree or the page names no sum. The
 * button that pays takes precedence, then the lines of totals, one of which must agree.
 */
export const problemOf = (
  minor: number,
  currency: string,
  { lines, buttons }: { readonly lines: ReadonlyArray<string>; readonly buttons: ReadonlyArray<string> }
): Problem | null => {
  const pays = buttons.filter((text) => saysPay(plain(text))).flatMap((text) => amountsIn(text, currency))
  const totals = lines.filter(isTotal).flatMap((line) => amountsIn(line, currency))
  return judged(pays.length > 0 ? pays : totals, minor)
}
