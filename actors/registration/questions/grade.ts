/**
 * Grades submitted answers.
 *
 * - Only the value itself is accepted. Letter case, accents, surrounding quotes, punctuation, one leading article,
 *   number words and a `{answer: …}` wrapper do not matter. Any further word or unit makes the answer wrong.
 * - A question with an explicit format needs exactly that format. `json` is one object whose only key is `answer`, with
 *   the exact value and type. `exact` is the exact text.
 * - English articles are ignored, and the most common French, German and Spanish ones. An article that is the whole
 *   answer is kept.
 * - Numbers may be digits, digits in groups of three (separated by comma, dot, space or apostrophe), or English words
 *   up to 9999. A sign, a leading zero or a decimal part makes another value.
 * - Times may be `9:05`, `09:05`, `9h05` and `9.05`, with spaces at the separator. `am` and `pm` are read only in
 *   12-hour questions. In these, a time without them is read on the 24-hour clock.
 * - Submitted text is hostile. A text above the length limit is wrong without being read, and every pattern below is
 *   linear.
 */
import { numberFromWords } from "./number-words.ts"
import { MAX_ANSWER_CHARS } from "./question.ts"
import type { AnswerKind, Question } from "./question.ts"

const WRAPPER_KEY = "answer"
const ARTICLES = new Set(["the", "a", "an", "le", "la", "les", "un", "une", "der", "die", "das", "el", "los", "las"])
/** Letters that Unicode does not decompose into a base letter and an accent. */
const UNDECOMPOSED: Readonly<Record<string, string>> = {
  ø: "o",
  ł: "l",
  đ: "d",
  ð: "d",
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ı: "i",
  þ: "th"
}
/** Quotes that Unicode counts as symbols or letters rather than punctuation. */
const SYMBOL_QUOTES = /[`´\u02bc\u02b9\u02ba]/g
/** Punctuation that may follow a number or a time. */
const TRAILING = new Set("\"'“”„‟‘’‚‛«»‹›「」『』`´()[]*_.,;:!?… ")
/**
 * Characters that may precede a number or a time. Points and commas would make a fraction, and minus and currency signs
 * another value, so these are not included.
 */
const LEADING = new Set("\"'“”„‟‘’‚‛«»‹›「」『』`´([*_¿¡ ")

export function grade(question: Question, submitted: unknown): boolean {
  if (question.format === "json") return matchesJson(question.answer, submitted)
  if (question.format === "exact") return submitted === question.answer
  const text = bareText(submitted)
  return text !== null && matches(question.kind, question.answer, text)
}

export function gradeAll(
  questions: ReadonlyArray<Question>,
  answers: Readonly<Record<string, unknown>>
): { readonly correct: number; readonly wrong: ReadonlyArray<string> } {
  const wrong = questions.filter(
    (question) => !(Object.hasOwn(answers, question.id) && grade(question, answers[question.id]))
  )
  return { correct: questions.length - wrong.length, wrong: wrong.map(({ id }) => id) }
}

/** The submitted value as text without its wrapper. Null if it cannot be an answer. */
function bareText(submitted: unknown): string | null {
  const value = unwrapObject(submitted)
  if (typeof value === "number") return Number.isSafeInteger(value) ? String(value) : null
  if (typeof value !== "string" || value.length > MAX_ANSWER_CHARS) return null
  return value === submitted ? unwrapText(value) : value
}

function unwrapObject(submitted: unknown): unknown {
  if (typeof submitted !== "object" || submitted === null || Array.isArray(submitted)) return submitted
  const entries = Object.entries(submitted)
  return entries.length === 1 && entries[0]?.[0] === WRAPPER_KEY ? entries[0][1] : null
}

/**
 * Removes the wrapper of `{"answer": "x"}` and of the looser `{answer: x}`. Text without braces is returned unchanged.
 * Null for other text in braces.
 */
function unwrapText(text: string): string | null {
  const trimmed = text.trim()
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) return text
  const parsed = parseJson(trimmed)
  if (parsed !== undefined) {
    const value = unwrapObject(parsed)
    return typeof value === "string" ? value : typeof value === "number" ? String(value) : null
  }
  const colon = trimmed.indexOf(":")
  return colon > 0 && wordOf(trimmed.slice(1, colon)) === WRAPPER_KEY ? trimmed.slice(colon + 1, -1) : null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function matchesJson(answer: string, submitted: unknown): boolean {
  if (typeof submitted === "string" && submitted.length > MAX_ANSWER_CHARS) return false
  const given = typeof submitted === "string" ? parseJson(submitted) : submitted
  if (typeof given !== "object" || given === null || Array.isArray(given)) return false
  const wanted = parseJson(answer) as Record<string, unknown>
  const entries = Object.entries(given)
  return entries.length === 1 && entries[0]?.[0] === WRAPPER_KEY && entries[0][1] === wanted[WRAPPER_KEY]
}

const READERS: Readonly<Record<AnswerKind, (text: string) => string | number | null>> = {
  number: numberOf,
  time: timeOf,
  time12: time12Of,
  word: wordOf
}

/** An unreadable text matches nothing, not even an unreadable answer. */
function matches(kind: AnswerKind, answer: string, text: string): boolean {
  const given = READERS[kind](text)
  return given !== null && given === READERS[kind](answer)
}

/**
 * Converts to lower case and removes accents and invisible characters. Compatibility forms such as full-width digits
 * become plain.
 */
function folded(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}]/gu, "")
    .toLowerCase()
    .replace(/[øłđðßæœıþ]/g, (letter) => UNDECOMPOSED[letter] ?? letter)
}

function withoutArticle(words: ReadonlyArray<string>): ReadonlyArray<string> {
  return words.length > 1 && ARTICLES.has(words[0] ?? "") ? words.slice(1) : words
}

function wordOf(text: string): string {
  const words = folded(text)
    .replace(SYMBOL_QUOTES, "")
    .replace(/\p{P}/gu, "")
    .split(/\s+/)
    .filter((word) => word !== "")
  return withoutArticle(words).join(" ")
}

/** Removes the punctuation around a value, and a leading article. */
function core(text: string): string {
  const plain = stripSurrounding(folded(text).replace(/\s/g, " "))
  const gap = plain.indexOf(" ")
  return gap > 0 && ARTICLES.has(plain.slice(0, gap)) ? stripSurrounding(plain.slice(gap)) : plain
}

function stripSurrounding(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && LEADING.has(text.charAt(start))) start++
  while (end > start && TRAILING.has(text.charAt(end - 1))) end--
  return text.slice(start, end)
}

function numberOf(text: string): number | null {
  const value = core(text)
  if (/^(?:0|[1-9]\d{0,14})$/.test(value)) return Number(value)
  if (/^[1-9]\d{0,2}(?:,\d{3}){1,4}$|^[1-9]\d{0,2}(?:\.\d{3}){1,4}$|^[1-9]\d{0,2}(?:[ '’]\d{3}){1,4}$/.test(value)) {
    return Number(value.replace(/\D/g, ""))
  }
  if (!/[a-z]/.test(value)) return null
  const words = folded(text)
    .replace(SYMBOL_QUOTES, "")
    .replace(/[\p{P}\s]+/gu, " ")
    .trim()
    .split(" ")
  return numberFromWords(words) ?? numberFromWords(withoutArticle(words))
}

/** Minutes since midnight, or null if the text is no time. */
function timeOf(text: string): number | null {
  const found = /^(\d{1,2}) ?[:h.] ?(\d{2})$/.exec(core(text))
  const hour = Number(found?.[1])
  const minute = Number(found?.[2])
  return hour < 24 && minute < 60 ? 60 * hour + minute : null
}

function time12Of(text: string): number | null {
  const found = /^(\d{1,2} ?[:h.] ?\d{2}) ?([ap])\.? ?m$/.exec(core(text))
  if (found === null) return timeOf(text)
  const minutes = timeOf(found[1] ?? "")
  if (minutes === null || minutes < 60 || minutes >= 13 * 60) return null
  return (minutes % 720) + (found[2] === "p" ? 720 : 0)
}
