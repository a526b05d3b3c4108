/**
 * A program against the registration questions, with full sight of their source: `solve` is all that the measurement uses.
 *
 * It inverts what it can: characters by the source's vocabulary, people by the bank, frames of every act as patterns, moods by
 * the very lists the teller draws from, quantities by the bank's measures. It reads sums, rings and clocks; of what it does
 * not read it guesses a thing or number named.
 */
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import { LANGUAGES, PHRASES } from "../../../actors/registration/questions/language/foreign.ts"
import { clock, clock12 } from "../../../actors/registration/questions/language/clock.ts"
import { NAMES } from "../../../actors/registration/questions/language/names.ts"
import type { CountingAct, Theme } from "../../../actors/registration/questions/worlds/accumulate.ts"
import { GETTING, GIVING, GOODS, LOSING } from "../../../actors/registration/questions/worlds/goods.ts"
import * as numbers from "../../../actors/registration/questions/worlds/themes-numbers.ts"
import * as times from "../../../actors/registration/questions/worlds/themes-times.ts"
import * as rings from "../../../actors/registration/questions/worlds/themes-rings.ts"
import { randomFromSeed, SEED_BYTES } from "../../../actors/registration/questions/random.ts"
import { cleaned, NUMBERS, sourceText } from "./text.ts"

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
const source = sourceText()

/** The strings of a list in the source, by the list's name. */
const listed = (name: string): ReadonlyArray<string> => {
  const body = new RegExp(`const ${name}[^=]*= \\[([\\s\\S]*?)\\];`).exec(source)?.[1] ?? ""
  return [...body.matchAll(/"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map(([, plain, template]) => (plain ?? template ?? "").toLowerCase().replaceAll('\\"', '"'))
}

const PERSON = `(?:${NAMES.map((one) => one.toLowerCase()).join("|")}|she|he|her|him|the same person)(?![\\p{L}])`

/** A frame as a pattern: slots for people take names, asides are gone by then. */
const pattern = (frame: string): RegExp => {
  const seen = new Set<string>()
  const slot = (letter: string): string => {
    if (seen.has(letter)) return ".+?"
    seen.add(letter)
    return /[pxo]/.test(letter) ? `(?<${letter}>${PERSON})` : `(?<${letter}>.+?)`
  }
  const body = escaped(frame.toLowerCase().replace(/ ?\| ?/g, " ").trim()).replace(/\\\{(\w)\\\}/g, (_, letter: string) => slot(letter))
  return new RegExp(body.replace(/\.\+\?\)$/, ".+)"), "u")
}

interface Reading {
  readonly sign: number
  readonly who: string
  readonly whom: string
  readonly n: number
}

const name = new RegExp(`\\b(?:${NAMES.map((one) => one.toLowerCase()).join("|")})(?![\\p{L}])`, "gu")
const namesIn = (text: string): ReadonlyArray<string> => text.match(name) ?? []

const NUMBER_WORDS = [...NUMBERS.keys()].filter((word) => word.length > 2).toSorted((a, b) => b.length - a.length)
const numberWord = new RegExp(`(?<![\\p{L}-])(?:\\d+|${NUMBER_WORDS.map(escaped).join("|")})(?![\\p{L}-])`, "gu")
const valueOf = (word: string): number => NUMBERS.get(word) ?? Number(word)
const numbersIn = (text: string): ReadonlyArray<number> => (text.match(numberWord) ?? []).map(valueOf)
const MEASURES = OUR_BANK.measures.map(({ n, phrase }) => ({ n, phrase: phrase.toLowerCase() })).toSorted((a, b) => b.phrase.length - a.phrase.length)
const TIMES: Readonly<Record<string, number>> = { twice: 2, "three times": 3, "four times": 4, "five times": 5, "half of": 1 / 2, "a third of": 1 / 3, "a quarter of": 1 / 4 }

const amount = (text: string): number => {
  const factor = Object.entries(TIMES).find(([words]) => text.includes(words))?.[1] ?? 1
  const measure = MEASURES.find(({ phrase }) => text.includes(phrase))
  const rest = measure === undefined ? text : text.replace(measure.phrase, "")
  const [first = 1, second = 0] = numbersIn(rest.replace(/three times|four times|five times/g, "").replace(/,? which is .*/, ""))
  if (measure !== undefined) {
    const base = factor * measure.n
    if (/more than|besides/.test(rest)) return base + first
    return /fewer than|less/.test(rest) ? base - first : base
  }
  if (text.includes("dozen")) return text.includes("plus") ? 12 + first : 12 - first
  if (text.includes("then another")) return first + second
  if (text.includes("minus")) return first - 1
  return factor * first
}

interface Family {
  readonly theme: Pick<Theme, "acts">
  readonly asks: RegExp
  readonly read: (total: number, prompt: string) => string
}

const random = randomFromSeed(new Uint8Array(SEED_BYTES))
const plainly = (total: number): string => String(total)
const ringRead = (ring: ReadonlyArray<string>) => (total: number): string => ring[((total % ring.length) + ring.length) % ring.length] ?? ""
const goods = { acts: [GETTING, LOSING, GIVING] }
const SUMS: ReadonlyArray<Family> = [
  { theme: numbers.PURSE, asks: /coins? |purse/, read: plainly }, { theme: numbers.BOAT, asks: /passenger|travellers/, read: plainly },
  { theme: numbers.LIFT, asks: /floor/, read: plainly }, { theme: numbers.PAGES, asks: /page/, read: plainly }, { theme: numbers.DEGREES, asks: /thermometer|degrees/, read: plainly },
  { theme: numbers.TANK, asks: /tank/, read: plainly }, { theme: numbers.CART, asks: /kilo|load/, read: plainly }, { theme: numbers.POINTS, asks: /score of|points does|points stand/, read: plainly },
  { theme: numbers.YEARS, asks: /year/, read: plainly }, { theme: numbers.ROAD, asks: /gate/, read: plainly },
  { theme: times.APPOINTMENT, asks: /appointment/, read: clock }, { theme: times.MEETING, asks: /meeting/, read: clock12 },
  { theme: times.CALENDAR, asks: /day of the month/, read: (total) => String(new Date(Date.UTC(2023, 0, total)).getUTCDate()) },
  { theme: times.MONTH_RING, asks: /in which month/, read: ringRead(times.MONTHS) },
  { theme: rings.boardRing(random).theme, asks: /square|board/, read: plainly }, { theme: rings.tramRing(random).theme, asks: /city|arrived/, read: plainly },
  { theme: rings.colourRing(random).theme, asks: /colour/, read: plainly }, { theme: rings.letterRing(random).theme, asks: /letter/, read: ringRead(rings.LETTERS) },
  { theme: goods, asks: /in the end|at the end|left\?/, read: plainly }
]

interface ActPattern {
  readonly sign: number
  readonly pattern: RegExp
}

const foreignForms = ({ foreign, sign }: CountingAct): ReadonlyArray<ActPattern> =>
  LANGUAGES.flatMap((language) => {
    const frame = foreign?.[language]
    if (frame === undefined) return []
    const nouns = GOODS.map((good) => escaped(good.foreign[language].toLowerCase())).join("|")
    return [{ sign, pattern: new RegExp(pattern(frame.replace("{N}", "§")).source.replace("§", `(?:${nouns})`), "u") }]
  })
const patternsOf = ({ acts }: Pick<Theme, "acts">): ReadonlyArray<ActPattern> =>
  acts.flatMap((act) => [...act.english.map((frame) => ({ sign: act.sign, pattern: pattern(frame) })), ...foreignForms(act)])
const PATTERNS = new Map(SUMS.map((family) => [family, patternsOf(family.theme)]))

const any = (lists: ReadonlyArray<string>): RegExp => new RegExp(lists.filter((text) => text.length > 3).map((text) => escaped(text)).join("|"))
const fromForeign = (part: "notSo" | "forget" | "again" | "undone" | "distrust" | "restated"): ReadonlyArray<string> =>
  LANGUAGES.flatMap((language) => PHRASES[language][part].map((text) => text.toLowerCase().split(/\{\w\}/).toSorted((a, b) => b.length - a.length)[0] ?? ""))
const UNREAL = any([...["UNSEEN", "IT_IS_NOT", "NOBODY_CAN", "TAIL_NOT", "CAME_TO_NOTHING"].flatMap(listed), ...fromForeign("notSo")])
const FORGET = any([...listed("FORGET"), ...fromForeign("forget")])
const UNDONE = any([...listed("UNDONE"), ...fromForeign("undone")])
const AGAIN = any([...listed("AGAIN"), ...fromForeign("again")])
const RESTATED = /i repeat|as i have told|in other words|only told again|happened only once|otro modo|autrement dit|anders gesagt|altre parole|outras palavras|andere woorden/
const RETOLD = /happened instead is|strike that sentence|from start to end|replace what i have|on second thoughts/
const LATE = /where i told you that|i slipped when|about the statement|a correction to/
const DENIED = /untrue that|i take that back|delete the statement|whatever i said/
const DISTRUST = any(["a notorious liar", "is to be believed", "makes everything up", "leave out whatever was", "whoever quotes", "strike from this story", "is invariably false", "is our only source", ...fromForeign("distrust")])
const SAYS = /^according to ([^,]+),|^(\S+) says that|^(\S+) told us|if we go by (\S+)|so says (\S+)|have it from (\S+)|^(\S+) swears|about it, (\S+) answered|in the words of (\S+):|^(\S+) wrote in a letter|^(?:según|d'après|laut|secondo|segundo|volgens) ([^\s,]+)|^(\S+) (?:cuenta|raconte|erzählt|racconta|conta|vertelt)|, (?:dice|dit|sagt|diz|zegt) (\S+)/

const ASIDES = [...source.matchAll(/\((?:name|_|)(?:, n)?\) => [`"]([^`"]+)[`"],/g)].map(([, text = ""]) => escaped(text.toLowerCase()).replace(/\\\$\\\{[^}]*\}/g, ".{1,25}?"))
const ASIDE = new RegExp(` ?(?:\\(|– |, )(?:${ASIDES.filter((text) => text.length > 8).join("|")})(?:\\)| –|,(?! and))`, "gu")

/** Every description replaced by the name it stands for. */
const withNames = (text: string): string => {
  let read = text
  const marks: Array<{ readonly who: string; readonly relation: (typeof OUR_BANK.relations)[number]; readonly value: string }> = []
  for (const relation of OUR_BANK.relations) {
    for (const [key, value] of relation.pairs) {
      if (!text.includes(key.toLowerCase())) continue
      for (const intro of relation.intro) {
        const said = escaped(intro.replace("{}", key).toLowerCase()).replace(/\ba /g, "an? ").replace(/\\?"/g, "\"")
        const found = new RegExp(`(\\p{L}+),? (?:who )?${said}(?:, namely (\\p{L}+))?`, "u").exec(text)
        const who = found?.[2] ?? found?.[1]
        if (who !== undefined && namesIn(who).length > 0) marks.push({ who, relation, value })
      }
    }
  }
  const [swap] = /other way round|so swap them|it is the reverse|exchange the names/.exec(text) ?? []
  const pair = swap === undefined ? [] : namesIn(text.slice(0, text.indexOf(swap))).slice(-2)
  for (const { who, relation, value } of marks) {
    const meant = pair.includes(who) ? pair.find((other) => other !== who) ?? who : who
    for (const ref of relation.ref) read = read.replaceAll(new RegExp(`the (?:one|person|woman|man) ${escaped(ref.replace("{}", value).toLowerCase())}`, "g"), meant)
  }
  return read
}

const readMove = (sentence: string, patterns: ReadonlyArray<ActPattern>): Reading | null => {
  let best: { readonly reading: Reading; readonly length: number } | null = null
  for (const { sign, pattern: form } of patterns) {
    const match = form.exec(sentence)
    if (match === null) continue
    const { p, x, o = "", q, n } = match.groups ?? {}
    const who = p ?? x ?? ""
    const length = form.source.replace(/\(\?<.>\.\+\??\)|\.\*\?/g, "").length
    if (best === null || length > best.length) best = { reading: { sign, who, whom: o, n: amount(q ?? n ?? "") }, length }
  }
  return best?.reading ?? null
}

interface Entry {
  reading: Reading
  times: number
}

const judged = (sentences: ReadonlyArray<string>, patterns: ReadonlyArray<ActPattern>): ReadonlyArray<Entry> => {
  const liar = namesIn(sentences.find((sentence) => DISTRUST.test(sentence)) ?? "")[0]
  const between = sentences.find((sentence) => /between|from "/.test(sentence) && sentence.includes('"')) ?? sentences.find((sentence) => /is told after "/.test(sentence))
  const [from, to] = [...(between ?? "").matchAll(/"([^"]+)"/g)].map(([, sign = ""]) => sign)
  const entries: Array<Entry> = []
  let skipping = false
  let spoken = ""
  for (const sentence of sentences) {
    if (sentence === between) continue
    if (sentence === from) skipping = true
    if (sentence === to) skipping = false
    const last = entries.at(-1)
    const found = readMove(sentence, patterns)
    const reading = found !== null && namesIn(found.who).length === 0 ? { ...found, who: spoken } : found
    spoken = reading?.who ?? spoken
    if (skipping || RESTATED.test(sentence)) continue
    if (last !== undefined && (FORGET.test(sentence) || UNDONE.test(sentence))) last.times = 0
    else if (last !== undefined && AGAIN.test(sentence)) last.times = 2
    else if (DENIED.test(sentence) && reading !== null) entries.filter((entry) => entry.reading.n === reading.n && entry.reading.who === reading.who).forEach((entry) => { entry.times = 0 })
    else if (RETOLD.test(sentence) && last !== undefined && reading !== null) last.reading = reading
    else if (LATE.test(sentence) && reading !== null) {
      const entry = entries.find((one) => one.reading.n === reading.n && one.reading.who === reading.who)
      if (entry !== undefined) amend(entry, sentence.slice(-60))
    } else if (reading !== null) {
      const by = SAYS.exec(sentence)?.slice(1).find((group) => group !== undefined)
      entries.push({ reading, times: UNREAL.test(sentence) || (liar !== undefined && by?.includes(liar) === true) ? 0 : 1 })
    } else if (last !== undefined && /^no, |instead of|i misread|correct myself|, i mean|^scratch|^wait:|pardon|perdón|verzeihung|scusate|desculpem|^nein|^não|^nee|pas |nicht |niet |sino |bensì/.test(sentence)) amend(last, sentence)
  }
  return entries
}

const amend = (entry: Entry, text: string): void => {
  const { reading } = entry
  const named = namesIn(text).find((one) => one !== reading.who)
  const value = numbersIn(text).find((one) => one !== reading.n)
  if (named !== undefined) entry.reading = { ...reading, who: named }
  else if (value !== undefined) entry.reading = { ...reading, n: /minus one/.test(text) ? value - 1 : value }
}

const startOf = (sentences: ReadonlyArray<string>, who: string, prompt: string, family: Family): number => {
  const start = sentences.find((sentence) => /first|at the outset|began|begin|set out|started|to begin|at the start|very start|before all|before anything|originally|wanted to marry|was the day|was the month|was the year|pointed at/.test(sentence) && sentence.includes(who)) ?? ""
  if (family.read === clock || family.read === clock12) {
    const [, hour = "0", minute = "0", half] = /(\d+):(\d+)(?: ([ap])m)?/.exec(start) ?? []
    return 60 * (Number(hour) % (half === undefined ? 24 : 12)) + Number(minute) + (half === "p" ? 720 : 0)
  }
  const date = new RegExp(`(\\d+) (${times.MONTHS.join("|").toLowerCase()})`).exec(start)
  if (date !== null) return (Date.UTC(2023, times.MONTHS.findIndex((month) => month.toLowerCase() === date[2]), Number(date[1])) - Date.UTC(2022, 11, 31)) / 86_400_000
  const ring = ringOf(prompt, family)
  if (ring !== null) return ring.findIndex((place) => new RegExp(`\\b${place.toLowerCase()}\\b`).test(start.replace(who, "")))
  return amount(start)
}

const ringOf = (prompt: string, family: Family): ReadonlyArray<string> | null => {
  if (/in which month/.test(prompt)) return times.MONTHS
  if (family.asks.source === "letter") return rings.LETTERS.map((letter) => `letter ${letter}`)
  if (!/square|city|colour/.test(family.asks.source)) return null
  return /((?:\p{L}+, ){8}\p{L}+)/u.exec(prompt)?.[1]?.split(", ") ?? null
}

/** The answer to the question, as well as this program can tell. */
export const solve = (prompt: string): string => solved(prompt).answer

/** With what it read, to be looked at. */
export const solved = (prompt: string): { readonly answer: string; readonly entries: ReadonlyArray<Entry>; readonly text: string; readonly asked: ReadonlyArray<string>; readonly start: number } => {
  const text = withNames(cleaned(prompt).replace(ASIDE, ""))
  const family = SUMS.find(({ asks }) => asks.test(questionOf(text))) ?? SUMS.at(-1)
  const sentences = text.split(/\.\.\. |\. |; | – |\? /).map((sentence) => sentence.trim())
  if (family === undefined) throw new Error("no family")
  const asked = namesIn(questionOf(text))
  const entries = judged(sentences, PATTERNS.get(family) ?? [])
  const totals = asked.map((who) => entries.reduce((sum, { reading, times }) => {
    if (reading.sign === 0) return sum + times * reading.n * (reading.whom === who ? 1 : reading.who === who ? -1 : 0)
    return sum + (reading.who === who ? times * reading.sign * reading.n : 0)
  }, startOf(sentences, who, text, family)))
  const [first = 0, second = 0] = totals
  const ring = ringOf(text, family)
  const total = /more .* than|surpass/.test(questionOf(text)) ? first - second : first + second
  const read = ring === null || ring === times.MONTHS || family.asks.source === "letter" ? family.read(total, text) : ringRead(ring)(total)
  const tag = /behind (\w\w) and a hyphen/.exec(text)?.[1]
  const answer = tag !== undefined ? `${tag.toUpperCase()}-${read.padStart(4, "0")}` : text.includes("json") ? `{"answer":${read}}` : read
  return { answer, entries, text, asked, start: totals.length === 0 ? 0 : startOf(sentences, asked[0] ?? "", text, family) }
}

/** The sentence that asks: at the front or before the closing. */
const questionOf = (text: string): string =>
  /(?:^|[.;?–] )((?:how|what|which|in which|on which|where|with how|work out|at what|find|for when|say how|name the|give the final|by how|at the end, (?:how|what)|in the end, how|count the|to which|on what|when all|at last|give the final|at the end)[^.?]*[.?])/.exec(text)?.[1] ?? text
