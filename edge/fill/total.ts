/** Reads the sum to be paid from a page's lines. Pure. */
import { exponentOf, isCurrency, minorOf } from "../../schemas/vault/money.ts"
import { plain, saysPartial, saysPay, saysTotal } from "./words.ts"

/** Digits, with what groups them and what separates decimals. */
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
/** Without what ends the sentence. */
const AMOUNT = /^(?:\d|[.,](?=\d))*/

/**
 * The amounts that a number may mean: "1.234,56" has decimals behind its last separator, "1.234" has thousands there.
 * In a currency with three decimals the latter may mean both.
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

/** All currencies that a sign may mean. */
const currenciesIn = (line: string): ReadonlyArray<string> => [
  ...Object.entries(SIGNS).flatMap(([sign, codes]) => (line.includes(sign) ? codes : [])),
  ...(line.match(/\b[A-Z]{3}\b/g) ?? []).filter(isCurrency)
]

/** The amounts of a line in a currency; `null` if it is one of another currency. */
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
 * The difference between the page's sum and `minor`; `null` if it agrees or the page names none. The button that pays
 * knows best, then the lines of totals, of which one must agree.
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
