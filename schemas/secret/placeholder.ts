/**
 * Finds placeholders in texts that explain tokens: `ghp_xxxx…`, `AKIAIOSFODNN7EXAMPLE`, `sk-proj-your-key-goes-here`.
 * Each test takes a real, random token of 20 characters for a placeholder in fewer than three cases of a thousand, and
 * a longer one almost never.
 */
import type { Matched } from "./shape.ts"

/** The most characters of a token that are tested. */
const LOOKED_AT = 64

const DISTINCT_MIN = 8
const ASCENDING_MAX = 7
const TURNS_MIN = 2

const FILLER =
  /example|sample|placeholder|dummy|redacted|change|replace|insert|secret|x{6}|(?:^|[-_])(?:your|fake|test|this)/i

/**
 * Examples that manuals print and tutorials copy, cut to the tested length: those of Stripe, Discord, Standard Webhooks
 * and this service's reference.
 */
const PRINTED: ReadonlySet<string> = new Set([
  "4eC39HqLyjWDarjt",
  "Tk4NjIyNDgzNDcxOTI1MjQ4Cl2FMQZnCjm1XVW7vRze4b7Cq4se7kKWs",
  "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  "//79/Pv6+fj39vX08/Lx8O/u7ezr6uno"
])

const LOWER = 1
const UPPER = 2
const DIGIT = 3

const classOf = (code: number): number => {
  if (code >= 97 && code <= 122) return LOWER
  if (code >= 65 && code <= 90) return UPPER
  return code >= 48 && code <= 57 ? DIGIT : 0
}

/** Counts the changes between letters and digits within a word, other than from its capital to its small letters. */
const turnsOf = (text: string): number => {
  let turns = 0
  for (let at = 1; at < text.length; at++) {
    const before = classOf(text.charCodeAt(at - 1))
    const here = classOf(text.charCodeAt(at))
    if (before !== here && before !== 0 && here !== 0 && !(before === UPPER && here === LOWER)) turns++
  }
  return turns
}

const longestAscent = (text: string): number => {
  let longest = 1
  let run = 1
  for (let at = 1; at < text.length; at++) {
    run = text.charCodeAt(at) === text.charCodeAt(at - 1) + 1 ? run + 1 : 1
    if (run > longest) longest = run
  }
  return longest
}

const SEEN = new Uint32Array(128)
let round = 0

/** Counts the different characters of a text. All characters of the alphabets in shape.ts are ASCII. */
const distinct = (text: string): number => {
  round = (round + 1) >>> 0
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (SEEN[code] !== round) count++
    SEEN[code] = round
  }
  return count
}

export const isPlaceholder = ({ body, joins }: Matched): boolean => {
  const looked = body.length > LOOKED_AT ? body.slice(0, LOOKED_AT) : body
  return (
    distinct(looked) < DISTINCT_MIN ||
    (joins && turnsOf(looked) < TURNS_MIN) ||
    longestAscent(looked) > ASCENDING_MAX ||
    FILLER.test(looked) ||
    PRINTED.has(body)
  )
}
