/**
 * Computes the confidence that a candidate is a code for signing in, from the words beside it, the lines around it, its
 * emphasis, and the subject.
 *
 * Invariant: for each candidate a bounded number of words and lines is examined.
 */
import { type Candidate, isRound, isYear } from "./candidates.ts"
import { countUpTo, type JudgedLine, type NumberMark } from "./sentences.ts"
import { isDense, isLetter } from "./vocabulary.ts"
import type { NumberWord } from "./words.ts"

/** The hint that the lines above give about a line that is only a number. */
export interface Above {
  /** The hint that a code follows, which decreases with the distance; 0 if there is none. */
  readonly code: number
  /** True if the nearest line names something that has its own number, such as an order. */
  readonly label: boolean
  readonly verify: boolean
  readonly enter: boolean
  readonly promo: boolean
  readonly text: string
  /** True if a number alone on a line has used the hint. */
  readonly spent: boolean
}

export interface Subject {
  readonly code: boolean
  readonly verify: boolean
  /** True for a subject about an order, a booking or a bill, without words of signing in. */
  readonly noun: boolean
  readonly promo: boolean
}

export const NOTHING_ABOVE: Above = {
  code: 0,
  label: false,
  verify: false,
  enter: false,
  promo: false,
  text: "",
  spent: false
}

/** The most words that are examined on either side of a number. */
const LOOK_MARKS = 12
const NEAR = 24
const FAR = 90
const UNIT_GAP = 2
const LABEL_GAP = 14
const YEAR_GAP = 6
const DIGITS_OF_TIME = 4
/** The most letters between two codes of a list, as in "1234, 5678 or 9012". */
const LIST_MAX_LETTERS = 5
const EMPHASES_MAX = 100

interface Beside {
  /** Words of the same sentence, the nearest first. */
  readonly before: ReadonlyArray<NumberMark>
  readonly after: ReadonlyArray<NumberMark>
}

const besideOf = (
  { marks, starts, low }: JudgedLine,
  { from, to }: Candidate,
  froms: ReadonlyArray<number>
): Beside => {
  const sentence = countUpTo(starts, from) - 1
  const start = starts[sentence] ?? 0
  const end = starts[sentence + 1] ?? low.length
  const next = countUpTo(froms, from - 1)
  const before: Array<NumberMark> = []
  for (let at = next - 1; at >= 0 && before.length < LOOK_MARKS; at--) {
    const mark = marks[at]
    if (mark === undefined || mark.from < start) break
    if (mark.to <= from) before.push(mark)
  }
  const after: Array<NumberMark> = []
  for (let at = next; at < marks.length && after.length < LOOK_MARKS; at++) {
    const mark = marks[at]
    if (mark === undefined || mark.from >= end) break
    if (mark.from >= to) after.push(mark)
  }
  return { before, after }
}

const byDistance = (distance: number, near: number, far: number, else_: number): number =>
  distance <= NEAR ? near : distance <= FAR ? far : else_

/** True if there are no letters or digits between two places, as in "order no.: ". */
const isBare = (low: string, from: number, to: number): boolean => !/[\p{L}\p{N}]/u.test(low.slice(from, to))

/** True if the word before the number shows that it is the number of something else. */
const isLabelled = ({ low }: JudgedLine, { from }: Candidate, before: ReadonlyArray<NumberMark>): boolean => {
  const nearest = before.find(({ kind }) => kind === "code" || kind === "label" || kind === "noun" || kind === "ending")
  if (nearest === undefined || nearest.kind === "code") return false
  const gap = from - nearest.to
  if (nearest.kind === "ending") return gap <= LABEL_GAP
  const coded = before.some(({ kind }) => kind === "code")
  if (nearest.kind === "label") return !coded || (gap <= LABEL_GAP && isBare(low, nearest.to, from))
  return !coded || (gap <= LABEL_GAP && isBare(low, nearest.to, from) && !low.slice(nearest.to, from).includes(":"))
}

/** For example "4829 Market Street". */
const STREET =
  /^ [a-z. ]{2,30} (?:street|st|avenue|ave|road|rd|blvd|boulevard|drive|dr|lane|ln|way|place|parkway|pkwy|court)\b/
const STREET_MAX_CHARS = 45

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/** Words before an hour, a year or a page. */
const BEFORE_TIME = words(
  "at in on since until by before after from page um am ab bis seit vor nach à dès en le alle dalle nel dal às até em desde hasta las om tot sinds vanaf op o od do w w в до с к saat of over around about"
)
/** Words before the receiver of a code. */
const BEFORE_RECEIVER = words("to an al au naar na на auf sur via")

/** The share of a hint that is left if another word between "code" and the number refers to the number. */
const shareOf = (low: string, { from, code }: Candidate): number => {
  const lead = low.slice(Math.max(0, from - 16), from).trimEnd()
  const word = lead.slice(lead.lastIndexOf(" ") + 1)
  if (BEFORE_RECEIVER.has(word)) return 0.4
  return code.length <= DIGITS_OF_TIME && BEFORE_TIME.has(word) ? 0.4 : 1
}

const ONE_WORD = /^ [\p{L}-]{1,14} $/u

const isCounted = ({ low }: JudgedLine, { from, to, code }: Candidate, { before, after }: Beside): boolean => {
  const next = after.find(({ kind }) => kind === "unit")
  if (next !== undefined && next.from - to <= UNIT_GAP && isBare(low, to, next.from)) return true
  if (STREET.test(low.slice(to, to + STREET_MAX_CHARS))) return true
  // For example "5000 bonus miles".
  if (next !== undefined && isRound(code) && ONE_WORD.test(low.slice(to, Math.min(next.from, to + 20)))) return true
  // For example "EUR 1200": an abbreviation before a number, without a colon between them.
  const [last] = before
  return (
    last?.kind === "unit" &&
    from - last.to <= UNIT_GAP &&
    !low.slice(last.to, from).includes(":") &&
    /^(?:[a-z]{2,3}|zł|₽)$/.test(low.slice(last.from, last.to))
  )
}

/**
 * True if a word like "code" belongs to another number, which is between the word and this one. In a list of codes it
 * belongs to all of them.
 */
const isTaken = (low: string, other: Candidate | undefined, from: number, to: number): boolean => {
  if (other === undefined || other.from < from || other.to > to) return false
  const text = other.from - from < to - other.to ? low.slice(other.to, to) : low.slice(from, other.from)
  return text.length > FAR || lettersIn(text) > LIST_MAX_LETTERS
}

/** The number of letters. A character of a dense script counts as several, because it carries more meaning. */
const lettersIn = (text: string): number => {
  let count = 0
  for (let at = 0; at < text.length; at++) if (isLetter(text, at)) count += isDense(text, at) ? 3 : 1
  return count
}

/** True if the word belongs to the number before it, as in "482913 is the code for the sum of 4999". */
const isGiven = (low: string, other: Candidate | undefined, mark: NumberMark, from: number): boolean =>
  other !== undefined &&
  other.to <= mark.from &&
  mark.from - other.to <= NEAR &&
  lettersIn(low.slice(mark.to, Math.min(from, mark.to + FAR))) > LIST_MAX_LETTERS

const withinSentence = (judged: JudgedLine, candidate: Candidate, beside: Beside, index: number): number => {
  const { before, after } = beside
  const { low, candidates } = judged
  const { from, to, code } = candidate
  const first = before.find(({ kind }) => kind === "code")
  const next = after.find(({ kind }) => kind === "code")
  // "2048 unused codes" is a count of codes.
  const counted = next !== undefined && low.slice(next.from, next.to) === "codes"
  const taken = next === undefined || counted || isTaken(low, candidates[index + 1], to, next.from)
  const behind = taken ? 0 : byDistance(next.from - to, 0.65, 0.5, 0.3)
  if (first !== undefined) {
    const gap = from - first.to
    // "The code of 2026" probably means a year, "the code is 2026" does not.
    if (isYear(code) && gap > YEAR_GAP) return 0
    const other = candidates[index - 1]
    const elsewhere = isTaken(low, other, first.to, from) || isGiven(low, other, first, from)
    const share = elsewhere ? 0.4 : shareOf(low, candidate)
    return Math.max(behind, share * byDistance(gap, 0.72, 0.6, 0.4))
  }
  if (before[0]?.kind === "noun") return behind * 0.6
  if (behind > 0) return behind
  const verify = [...before, ...after].some(({ kind }) => kind === "verify")
  const enter = before.find(({ kind }) => kind === "enter") ?? after.find(({ kind }) => kind === "enter")
  if (!verify) return 0
  const near = enter !== undefined && Math.max(from - enter.to, enter.from - to) <= NEAR
  // Four digits may be anything if no word calls them a code.
  return near && code.length > DIGITS_OF_TIME ? 0.55 : 0.3
}

const levelOf = ({ line }: JudgedLine, { from, to }: Candidate): number => {
  for (let at = 0; at < line.emphases.length && at < EMPHASES_MAX; at++) {
    const one = line.emphases[at]
    if (one !== undefined && one.from <= from && to <= one.to + 1) return one.level
  }
  const bold = line.text[from - 1] === "*" && line.text[to] === "*"
  return bold ? 1 : 0
}

/** True if the number is near the beginning of its line, with no letter or digit before it. */
const standsFirst = ({ low }: JudgedLine, { from }: Candidate): boolean =>
  isBare(low, Math.max(0, from - 40), from) && from <= 40

export interface Around {
  readonly above: Above
  readonly below: JudgedLine | undefined
  readonly subject: Subject
  readonly inSubject: boolean
}

/** True for "… is your code": the line refers to the number before it, not to numbers that follow. */
const beginsWithCode = ({ marks, candidates }: JudgedLine): boolean => {
  const code = marks.find(({ kind }) => kind === "code")
  return code !== undefined && code.from < (candidates[0]?.from ?? Infinity)
}

/** The confidence from the lines around, for a number that is alone on its line, first in it, or large. */
const fromAround = (judged: JudgedLine, candidate: Candidate, level: number, around: Around): number => {
  const { above, below, subject } = around
  const alone = judged.other === 0
  if (alone && above.label) return 0
  if (alone && above.code > 0) return above.code
  if (alone && above.enter && above.verify) return 0.45
  if (alone && below !== undefined && beginsWithCode(below)) return 0.5
  if (!alone && above.code > 0.6 && standsFirst(judged, candidate) && above.text.endsWith(":")) return above.code
  if ((alone || level === 2) && subject.code) return judged.has.has("label") || judged.has.has("noun") ? 0.1 : 0.45
  if ((alone || level === 2) && subject.verify && above.verify) return 0.35
  return alone && level === 2 && !subject.noun ? 0.05 : 0
}

/** The confidence from another sentence of the line that mentions a code, if this one mentions nothing else. */
const fromLine = (judged: JudgedLine, candidate: Candidate, { before, after }: Beside): number => {
  if (!judged.has.has("code") || before.length > 0) return 0
  const free = after.length === 0 || after[0]?.kind === "verify" || after[0]?.kind === "unit"
  return free && judged.other < 400 && standsAfterStop(judged, candidate) ? 0.6 : 0.2
}

const standsAfterStop = ({ low, starts }: JudgedLine, { from }: Candidate): boolean =>
  isBare(low, Math.max(starts[countUpTo(starts, from) - 1] ?? 0, from - FAR), from)

const promoPenalty = (has: ReadonlySet<NumberWord>, { above, subject }: Around): number =>
  has.has("promo") || subject.promo ? 0.5 : above.promo ? 0.35 : 0

/** The confidence of one candidate of the line, 0 to 0.99. `froms` are the positions of the line's marks. */
export const confidenceOf = (
  judged: JudgedLine,
  index: number,
  around: Around,
  froms: ReadonlyArray<number>
): number => {
  const candidate = judged.candidates[index]
  if (candidate === undefined) return 0
  const beside = besideOf(judged, candidate, froms)
  if (isLabelled(judged, candidate, beside.before) || isCounted(judged, candidate, beside)) return 0
  const numbered = "#№".includes(judged.low[candidate.from - 1] ?? " ")
  const level = levelOf(judged, candidate)
  const base = Math.max(
    withinSentence(judged, candidate, beside, index),
    fromAround(judged, candidate, level, around),
    fromLine(judged, candidate, beside)
  )
  if (base === 0) return 0
  const { subject } = around
  const alone = judged.other === 0
  const helped =
    (alone ? 0.12 : 0) +
    level * 0.06 +
    (subject.code ? 0.08 : subject.verify ? 0.04 : 0) +
    (judged.has.has("verify") || around.above.verify ? 0.05 : 0)
  const against =
    promoPenalty(judged.has, around) +
    (numbered ? 0.3 : 0) +
    (subject.noun && !around.inSubject && /[A-Za-z]/.test(candidate.code) ? 0.25 : 0)
  const value = (base + helped + candidate.prior - against) * (judged.line.hidden ? 0.45 : 1)
  return Math.round(Math.max(0, Math.min(0.99, value)) * 100) / 100
}
