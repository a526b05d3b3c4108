/**
 * Amounts of money as the vault counts them: whole minor units of a currency (ISO 4217). They are converted from
 * decimal texts or numbers, and to decimal texts. Nothing is ever rounded.
 */

/** Currencies whose minor unit is not a hundredth. */
const EXPONENTS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(" ").map((code) => [code, 0])
  ),
  ...Object.fromEntries("BHD IQD JOD KWD LYD OMR TND".split(" ").map((code) => [code, 3])),
  CLF: 4,
  UYW: 4
}
const USUAL_EXPONENT = 2

/** Codes that are not used for payments: metals, units of account, tests. */
const NO_MONEY = new Set(["XAG", "XAU", "XBA", "XBB", "XBC", "XBD", "XDR", "XPD", "XPT", "XSU", "XTS", "XUA", "XXX"])
const CURRENCIES: ReadonlySet<string> = new Set(
  Intl.supportedValuesOf("currency").filter((code) => !NO_MONEY.has(code))
)

export const isCurrency = (text: string): boolean => CURRENCIES.has(text)

export const exponentOf = (currency: string): number => EXPONENTS[currency] ?? USUAL_EXPONENT

const DECIMAL = /^(\d{1,12})(?:\.(\d{1,6}))?$/

/**
 * `null` if it is not an amount of this currency. More decimals than the currency has are allowed only if they are
 * zeros.
 */
export const minorOf = (amount: string | number, currency: string): number | null => {
  const [, whole, decimals = ""] = DECIMAL.exec(String(amount)) ?? []
  if (whole === undefined) return null
  const exponent = exponentOf(currency)
  if (/[1-9]/.test(decimals.slice(exponent))) return null
  const minor = Number(`${whole}${decimals.slice(0, exponent).padEnd(exponent, "0")}`)
  return Number.isSafeInteger(minor) ? minor : null
}

export const amountOf = (minor: number, currency: string): string => {
  const exponent = exponentOf(currency)
  if (exponent === 0) return String(minor)
  const digits = String(minor).padStart(exponent + 1, "0")
  return `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`
}
