/** Finds the month that an option of a list means, by its text in the known languages, or else by its value. Pure. */
import type { Fact } from "./page/dom.ts"
import { plain } from "./words.ts"

const LANGUAGES = ["en-US", "en-GB", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "zh", "ja", "tr"]
const MONTHS = 12
const ALL = Array.from({ length: MONTHS }, (_, at) => at + 1)
const PREFIX_MIN_CHARS = 3
const YEAR = 2000

/** Month names alone, and beside a day: in some languages they differ. */
const FORMATS = (["long", "short"] as const).flatMap((month) => [{ month }, { month, day: "numeric" } as const])

const namesIn = (language: string): ReadonlyArray<readonly [string, number]> =>
  FORMATS.flatMap((format) => {
    const formatter = new Intl.DateTimeFormat(language, { ...format, timeZone: "UTC" })
    return ALL.map((month) => {
      const parts = formatter.formatToParts(Date.UTC(YEAR, month - 1, 1))
      return [plain(parts.find(({ type }) => type === "month")?.value ?? "").trim(), month] as const
    })
  })

const NAMES = LANGUAGES.map((language) => namesIn(language).filter(([name]) => !/^\d*$/.test(name)))

/** The months of one language that a word may mean: a whole name, or the beginning of one. */
const meantIn = (names: ReadonlyArray<readonly [string, number]>, word: string): ReadonlyArray<number> => {
  const exact = names.filter(([name]) => name === word)
  const found =
    exact.length > 0 ? exact : word.length < PREFIX_MIN_CHARS ? [] : names.filter(([name]) => name.startsWith(word))
  return found.map(([, month]) => month)
}

const leadingNumber = (text: string): number | null => {
  const [, leading] = /^\s*(\d{1,4})(?!\d)/.exec(text) ?? []
  return leading === undefined ? null : Number(leading)
}

/** Reads "4", "04", "04 - April", "April", "Apr.", "4月" or "四月". `null` if it means no month, or more than one. */
const monthOf = (text: string): number | null => {
  const number = leadingNumber(text)
  if (number !== null) return number >= 1 && number <= MONTHS ? number : null
  const [word = ""] = plain(text).trim().split(" ")
  const meant = word === "" ? [] : [...new Set(NAMES.flatMap((names) => meantIn(names, word)))]
  return meant.length === 1 ? (meant[0] ?? null) : null
}

type Option = Fact["options"][number]
type Reading = (option: Option) => number | null

const wholeNumber = ({ value }: Option): number | null => (/^\d{1,2}$/.test(value) ? Number(value) : null)
const oneMore: Reading = (option) => {
  const number = wholeNumber(option)
  return number === null ? null : number + 1
}

const isWhole = (options: ReadonlyArray<Option>, read: Reading): boolean => {
  const months = options.map(read).filter((month) => month !== null)
  return months.length === MONTHS && ALL.every((month) => months.includes(month))
}

/** Texts are read before values, because people see the texts. */
const readingOf = ({ options }: Fact): Reading | null => {
  const byText: Reading = ({ text }) => monthOf(text)
  const readings: ReadonlyArray<Reading> = [byText, wholeNumber, oneMore]
  return (
    readings.find((read) => isWhole(options, read)) ??
    (options.some((option) => byText(option) !== null) ? byText : null)
  )
}

export const isMonthList = ({ options }: Fact): boolean =>
  [({ text }: Option) => monthOf(text), wholeNumber, oneMore].some((read) => isWhole(options, read))

/** The value of the option for this month; `null` if there is no such option, or more than one. */
export const monthValue = (field: Fact, month: number): string | null => {
  const read = readingOf(field)
  const found = read === null ? [] : field.options.filter((option) => read(option) === month)
  return found.length === 1 ? (found[0]?.value ?? null) : null
}

const YEARS_MIN = 4
const SHORT_YEAR_MIN = 20
const yearOf = ({ text, value }: Option): number | null => leadingNumber(text) ?? leadingNumber(value)

/** True for a list of years, such as "2031" or "31". */
export const isYearList = ({ options }: Fact): boolean => {
  const years = options.map(yearOf).filter((year) => year !== null)
  const isYear = (year: number): boolean => year >= YEAR || (year >= SHORT_YEAR_MIN && year < 100)
  return years.length >= YEARS_MIN && years.every(isYear)
}

export const yearValue = ({ options }: Fact, year: number): string | null => {
  const found = options.filter((option) => [year, year % 100].includes(yearOf(option) ?? -1))
  return found.length === 1 ? (found[0]?.value ?? null) : null
}
