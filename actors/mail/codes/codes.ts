/**
 * Finds the codes of a message: the candidates of all its lines with their confidence, each code once, the highest
 * confidence first.
 */
import type { MailCode } from "../../../schemas/mail/records.ts"
import { type Above, confidenceOf, NOTHING_ABOVE, type Subject } from "./evidence.ts"
import type { Line } from "./lines.ts"
import { type JudgedLine, judgedLine } from "./sentences.ts"

const CODES_MAX = 10
/** A code with less confidence is not reported. */
const CONFIDENCE_MIN = 0.3
const CONTEXT_MAX_CHARS = 120
/** The confidence that a line's hint loses with each further line. */
const FADES = 0.06
const ABOVE_FIRST = 0.66
const ABOVE_COLON = 0.7
const ABOVE_MIN = 0.45
const REPEATED = 0.08
const PLAIN_MIN = 0.65
const BESIDE = 0.1
const CHANCE = 0.6

interface Sighting {
  readonly code: string
  readonly confidence: number
  readonly text: string
  readonly at: number
  readonly part: number
}

/** `@example.com #123456` (WICG, origin-bound one-time codes), with at most one further `%host`. */
const BOUND = /^@[a-z0-9-]+(?:\.[a-z0-9-]+)+ #([A-Za-z0-9-]{4,24})(?: %[a-z0-9.-]+)?$/i

const boundCode = (text: string): string | null => {
  const at = text.startsWith("@") ? 0 : text.startsWith("https://") ? text.indexOf(" @") + 1 : -1
  if (at < 0 || text.length > 600) return null
  const code = BOUND.exec(text.slice(at).trim())?.[1]
  return code !== undefined && /[0-9]/.test(code) ? code : null
}

/** The code with the text around it, at most CONTEXT_MAX_CHARS in one line, cut between words if possible. */
const contextOf = (text: string, at: number, length: number): string => {
  const spare = Math.max(0, CONTEXT_MAX_CHARS - length)
  let from = Math.max(0, Math.min(at - Math.ceil(spare / 2), text.length - CONTEXT_MAX_CHARS))
  let to = Math.min(text.length, from + CONTEXT_MAX_CHARS)
  if (from > 0) {
    const space = text.indexOf(" ", from)
    if (space >= 0 && space < at) from = space + 1
  }
  if (to < text.length) {
    const space = text.lastIndexOf(" ", to)
    if (space > at + length) to = space
  }
  return text.slice(from, to).toWellFormed().replaceAll(/\s/g, " ").trim()
}

/** The hint that a line gives about the lines below it. `before` is the hint about the line itself. */
const lineAbove = (judged: JudgedLine, before: Above): Above => {
  const { has, low, candidates, other } = judged
  // A number alone tells nothing, so the hint of the line above also applies to the next line.
  if (other === 0 && candidates.length > 0) return { ...before, spent: true }
  const text = judged.line.text.slice(-CONTEXT_MAX_CHARS)
  const last = judged.marks.findLast(({ kind }) => kind === "code" || kind === "label")
  const colon = low.endsWith(":") || low.endsWith("：")
  const own = has.has("code") && candidates.length === 0 && (last?.kind === "code" || !colon)
  const fresh = own ? (colon ? ABOVE_COLON : ABOVE_FIRST) : 0
  const faded = before.spent || before.code - FADES < ABOVE_MIN || candidates.length > 0 ? 0 : before.code - FADES
  const label = last?.kind === "label" && (colon || !has.has("code")) && other < 60
  return {
    code: Math.max(fresh, label ? 0 : faded),
    label,
    verify: has.has("verify") || (before.verify && !own && faded > 0),
    enter: has.has("enter"),
    promo: has.has("promo"),
    text: fresh >= faded ? text : before.text,
    spent: false
  }
}

const sightingsIn = (lines: ReadonlyArray<Line>, subject: Subject, part: number): ReadonlyArray<Sighting> => {
  const found: Array<Sighting> = []
  let above = NOTHING_ABOVE
  let next = lines[0] === undefined ? undefined : judgedLine(lines[0])
  for (let index = 0; index < lines.length; index++) {
    const judged = next
    const following = lines[index + 1]
    next = following === undefined ? undefined : judgedLine(following)
    if (judged === undefined) break
    const bound = boundCode(judged.line.text)
    if (bound !== null)
      found.push({ code: bound, confidence: 1, text: judged.line.text, at: judged.line.text.lastIndexOf(bound), part })
    const around = { above, below: next, subject, inSubject: part === 0 }
    const froms = judged.candidates.length === 0 ? [] : judged.marks.map(({ from }) => from)
    for (const [place, candidate] of bound === null ? judged.candidates.entries() : []) {
      const confidence = confidenceOf(judged, place, around, froms)
      if (confidence < CONFIDENCE_MIN) continue
      const lead = judged.other === 0 && above.text !== "" ? `${above.text} ` : ""
      const at = candidate.from + lead.length
      found.push({ code: candidate.code, confidence, part, text: lead + judged.line.text, at })
    }
    above = lineAbove(judged, above)
  }
  return found
}

const subjectOf = (lines: ReadonlyArray<Line>): Subject => {
  const has = new Set(lines.flatMap((line) => [...judgedLine(line).has]))
  const verify = has.has("verify")
  return {
    code: has.has("code") && !has.has("promo"),
    verify,
    noun: (has.has("noun") || has.has("label")) && !has.has("code") && !verify,
    promo: has.has("promo")
  }
}

/**
 * Each code once, with its highest confidence. The confidence is a little higher if another part of the message repeats
 * it.
 */
const merged = (sightings: ReadonlyArray<Sighting>): ReadonlyArray<Sighting> => {
  const best = new Map<string, Sighting>()
  for (const one of sightings) {
    const other = best.get(one.code)
    if (other === undefined) {
      best.set(one.code, one)
      continue
    }
    const surer = one.confidence > other.confidence ? one : other
    const repeated = one.part !== other.part && surer.confidence < 1 ? REPEATED : 0
    best.set(one.code, {
      ...surer,
      part: other.part,
      confidence: surer.confidence === 1 ? 1 : Math.min(0.99, surer.confidence + repeated)
    })
  }
  return [...best.values()]
}

/**
 * If a message has a code with high confidence, much weaker candidates are probably no codes, so their confidence is
 * lowered.
 */
const weighed = (sightings: ReadonlyArray<Sighting>): ReadonlyArray<Sighting> => {
  const best = sightings.reduce((most, { confidence }) => Math.max(most, confidence), 0)
  return sightings.map((one) =>
    best >= PLAIN_MIN && one.confidence < best - BESIDE ? { ...one, confidence: one.confidence * CHANCE } : one
  )
}

export const codesIn = (
  subject: ReadonlyArray<Line>,
  parts: ReadonlyArray<ReadonlyArray<Line>>
): ReadonlyArray<MailCode> => {
  const about = subjectOf(subject)
  const sightings = [subject, ...parts].flatMap((lines, part) => sightingsIn(lines, about, part))
  return weighed(merged(sightings))
    .filter(({ confidence }) => confidence >= CONFIDENCE_MIN)
    .toSorted((a, b) => b.confidence - a.confidence)
    .slice(0, CODES_MAX)
    .map(({ code, confidence, text, at }) => ({
      code,
      context: contextOf(text, at, code.length),
      confidence: Math.round(confidence * 100) / 100
    }))
}
