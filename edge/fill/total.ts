/** What a page says is to be paid, read from its lines. Pure. */
import { exponentOf, minorOf } from "../../schemas/vault/money.ts"
import { plain, saysPartial, saysPay, saysTotal } from "./words.ts"

/** Digits, with what groups them and what separates decimals. */
const NUMBER = /\d[\d.,'’\u00a0\u202f\u2009 ]{0,30}/g
const DECIMALS = /[.,](\d{1,3})$/
const SYMBOLS: Readonly<Record<string, string>> = {
  "€": "EUR",
  "£": "GBP",
  "₺": "TRY",
  "₽": "RUB",
  "₩": "KRW",
  "₹": "INR"
}

const unspaced = (text: string): string => text.replace(/[\u00a0\u202f\u2009 '’]/g, "").replace(/[.,]+$/, "")

/** `null` where it is no amount. Three digits behind the last separator are thousands, unless the currency has three decimals. */
export const amountIn = (text: string, currency: string): number | null => {
  const compact = unspaced(text)
  const [, decimals = ""] = DECIMALS.exec(compact) ?? []
  const separators = new Set(compact.replace(/\d/g, ""))
  const isGroup = decimals.length === 3 && (exponentOf(currency) < 3 || separators.size > 1 === false)
  const tail = isGroup && !(separators.size === 2) ? "" : decimals
  const whole = compact.slice(0, tail === "" ? compact.length : -(tail.length + 1)).replace(/[.,]/g, "")
  return minorOf(tail === "" ? whole : `${whole}.${tail}`, currency)
}

const currenciesIn = (line: string): ReadonlyArray<string> => [
  ...Object.entries(SYMBOLS).flatMap(([symbol, code]) => (line.includes(symbol) ? [code] : [])),
  ...(line.match(/\b[A-Z]{3}\b/g) ?? []).filter(
    (code) => Object.values(SYMBOLS).includes(code) || ["USD", "JPY", "CHF"].includes(code)
  )
]

const amountsIn = (line: string, currency: string): ReadonlyArray<number> => {
  const others = currenciesIn(line)
  // An amount of another currency is none of this one.
  if (others.length > 0 && !others.includes(currency)) return [-1]
  return [...line.matchAll(NUMBER)].flatMap(([text]) => amountIn(text.trim(), currency) ?? [])
}

const isTotal = (line: string): boolean => saysTotal(plain(line)) && !saysPartial(plain(line))

/**
 * Whether what the page says agrees with `minor`; `null` where it says nothing. The button that pays knows best, then
 * the lines of totals, of which one must agree.
 */
export const agrees = (
  minor: number,
  currency: string,
  { lines, buttons }: { readonly lines: ReadonlyArray<string>; readonly buttons: ReadonlyArray<string> }
): boolean | null => {
  const pays = buttons.filter((text) => saysPay(plain(text))).flatMap((text) => amountsIn(text, currency))
  if (pays.length > 0) return pays.includes(minor)
  const totals = lines.filter(isTotal).flatMap((line) => amountsIn(line, currency))
  return totals.length > 0 ? totals.includes(minor) : null
}
