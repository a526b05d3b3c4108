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
const DISTRUST = any(["nothing but lies", "leave out all that comes", "but the liar is", "invents everything", "a liar would be wrong", "reports are never true", "a notorious liar", "is to be believed", "makes everything up", "leave out whatever was", "whoever quotes", "strike from this story", "is invariably false", "is our only source", ...fromForeign("distrust")])
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

interface Entry {
  reading: Reading
  times: number
}

interface Clause {
  readonly reading: Reading
  readonly start: number
  readonly end: number
}

const FALSE_WORD = /(?:untrue|false|a lie|an invention|incorrect|a fairy tale|a fabrication)$/
const TRUE_WORD = /(?:perfectly true|true|a fact|correct|the truth)$/
const TURNED = /by no means|nobody can call|mistaken|silly to call|judge was wrong|anything but|that is an error/

/** Whether a verdict on a clause lets it count; null where there is none. */
const verdictOn = (lead: string, trail: string): boolean | null => {
  const said = lead.trim().replace(/ that$/, "")
  if (!/it is|by no means|can call it|calls? it|call it|found it|anything but/.test(said)) return null
  const word = FALSE_WORD.test(said) ? false : TRUE_WORD.test(said) ? true : null
  return word === null ? null : TURNED.test(`${lead} ${trail}`) ? !word : word
}

/** The liar's name, by what the sentence says of the two it may name. */
const liarIn = (sentence: string): string | undefined => {
  const [one, other] = namesIn(sentence)
  if (/former tells the truth|people call|is as honest as|^not .* is the one whose/.test(sentence)) return other
  if (/to call .* a liar would be wrong/.test(sentence)) return other
  return one
}

/** Every clause of an act that stands anywhere in the text, the more literal reading first. */
const clausesOf = (text: string, patterns: ReadonlyArray<ActPattern>): ReadonlyArray<Clause> => {
  const found: Array<Clause & { readonly weight: number }> = []
  for (const { sign, pattern: form } of patterns) {
    for (const match of text.matchAll(new RegExp(form.source.replaceAll(".+?", "[^;]{1,75}?").replaceAll(".+)", "[^;.]{1,60}?(?=[.;,]| and | or |$))"), "gu"))) {
      const { p, x, o = "", q, n } = match.groups ?? {}
      const reading = { sign, who: p ?? x ?? "", whom: o, n: amount(q ?? n ?? "") }
      const weight = form.source.replace(/\(\?<[pxo]>[^)]*\)|\(\?<.>\.\+\??\)|\.\+\?/g, "").length - match[0].length / 10
      found.push({ reading, start: match.index, end: match.index + match[0].length, weight })
    }
  }
  const kept: Array<Clause> = []
  for (const one of found.toSorted((left, right) => right.weight - left.weight)) {
    if (kept.every((other) => one.end <= other.start || one.start >= other.end)) kept.push(one)
  }
  return kept.toSorted((left, right) => left.start - right.start)
}

/** Whether the claim in the text holds, by the bank. */
const claimHolds = (text: string): boolean | null => {
  const item = /"([^"]+)"/.exec(text)?.[1]
  for (const { items, properties } of OUR_BANK.matrices) {
    if (item === undefined || !items.includes(item)) continue
    const sides = properties.flatMap((property) => [...property.is.map((phrase) => ({ property, phrase, side: true })), ...property.not.map((phrase) => ({ property, phrase, side: false }))])
    const said = sides.toSorted((one, other) => other.phrase.length - one.phrase.length).find(({ phrase }) => text.includes(phrase.toLowerCase()))
    if (said !== undefined) return said.property.yes.has(item) === said.side
  }
  return null
}

/** Of two clauses that one sentence joins: 0 the first counts, 1 the second, null they are not joined. */
const chosen = (before: string, gap: string, after: string): 0 | 1 | null => {
  const claim = claimHolds(`${before.slice(-140)} ${gap} ${after.slice(0, 140)}`)
  if (/and otherwise/.test(gap) || /provided that/.test(gap) || /in case/.test(gap) || /in the second case/.test(gap)) return claim === false ? 1 : 0
  if (/should it be right/.test(gap) || /unless/.test(gap) || /world where it is false/.test(gap)) return claim === false ? 0 : 1
  if (/; rather|others that/.test(gap) && /not so that|some claim/.test(before)) return /former/.test(after.slice(0, 40)) ? 0 : 1
  if (/anyone who says/.test(gap) || /although it had been agreed/.test(gap)) return 0
  if (/either /.test(before.slice(-30)) && /^ ?,? ?or /.test(gap)) return /first of which/.test(after.slice(0, 30)) ? 1 : 0
  if (/far from it/.test(before.slice(-45)) || /came about instead/.test(gap)) return 1
  if (/another that/.test(gap)) return 0
  return null
}

const judged = (text: string, patterns: ReadonlyArray<ActPattern>): ReadonlyArray<Entry> => {
  const liar = liarIn(text.split(/\.\.\. |\. |; | – /).find((sentence) => DISTRUST.test(sentence)) ?? "")
  const between = /"([^"]+)" (?:and before|and|up to) "([^"]+)"|between "([^"]+)" and "([^"]+)"/.exec(text)
  const [from = "§", to = "§"] = (between?.slice(1) ?? []).filter((sign) => sign !== undefined)
  const opens = [...text.matchAll(new RegExp(escaped(from), "g"))].map(({ index }) => index).find((index) => text[index - 1] !== '"') ?? -1
  const closes = [...text.matchAll(new RegExp(escaped(to), "g"))].map(({ index }) => index).find((index) => text[index - 1] !== '"') ?? -1
  const clauses = clausesOf(text, patterns)
  const entries: Array<Entry> = []
  let spoken = ""
  for (let index = 0; index < clauses.length; index++) {
    const { reading: found, start, end } = clauses[index] as Clause
    const reading = namesIn(found.who).length === 0 ? { ...found, who: spoken } : found
    spoken = reading.who
    const next = clauses[index + 1]
    const before = text.slice(clauses[index - 1]?.end ?? 0, start)
    const gap = text.slice(end, next?.start ?? text.length)
    const lead = before.slice(Math.max(before.lastIndexOf(". "), before.lastIndexOf("; "), before.lastIndexOf(" – "), -1) + 1)
    const trail = gap.slice(0, /\. |; | – |$/.exec(gap)?.index ?? gap.length)
    const choice = next === undefined ? null : chosen(before, gap, text.slice(next.end))
    if (choice !== null && next !== undefined) {
      const counted = choice === 0 ? reading : next.reading
      entries.push({ reading: namesIn(counted.who).length === 0 ? { ...counted, who: spoken } : counted, times: 1 })
      index++
      react(entries, text.slice(next.end, clauses[index + 1]?.start ?? text.length))
      continue
    }
    if (start > opens && start < closes) continue
    const last = entries.at(-1)
    const by = SAYS.exec(lead.trim() + " " + trail.trim())?.slice(1).find((group) => group !== undefined) ?? (lead + trail)
    if (RESTATED.test(lead)) continue
    if (DENIED.test(lead) || /it was a mix-up|take that back/.test(trail)) entries.filter((entry) => entry.reading.n === reading.n && entry.reading.who === reading.who).forEach((entry) => { entry.times = 0 })
    else if (LATE.test(lead)) {
      const entry = entries.find((one) => one.reading.n === reading.n && one.reading.who === reading.who)
      if (entry !== undefined) amend(entry, gap.slice(0, 90))
    } else if (RETOLD.test(lead) && last !== undefined) last.reading = reading
    else {
      const lied = liar !== undefined && by.includes(liar) && !(reading.who === liar && !SAYS.test(lead.trim()))
      entries.push({ reading, times: verdictOn(lead, trail) ?? !(UNREAL.test(lead) || UNREAL.test(trail) || lied) ? 1 : 0 })
      react(entries, gap)
    }
  }
  return entries
}

/** What is said of the last move after it. */
const react = (entries: Array<Entry>, gap: string): void => {
  const last = entries.at(-1)
  if (last === undefined) return
  if (FORGET.test(gap) || UNDONE.test(gap)) last.times = 0
  else if (AGAIN.test(gap)) last.times = 2
  const likened = /(the same goes for|likewise with|followed suit|happened to|nor was it otherwise for|opposite direction|not so for|it was the reverse|turn the direction round)/.exec(gap)
  if (likened !== null) {
    const around = gap.slice(Math.max(0, likened.index - 60), likened.index + 110)
    const n = amount(around.replace(/.*?(?=\d|«)/, "")) || amount(around)
    entries.push({ reading: { ...last.reading, sign: /opposite|not so for|reverse|direction round/.test(around) ? -last.reading.sign : last.reading.sign, who: namesIn(around).at(-1) ?? last.reading.who, n }, times: 1 })
  } else if (/no, |instead of|i misread|correct myself|, i mean|scratch|wait:|pardon|perdón|verzeihung|scusate|desculpem|nein, |não, |nee, |non, /.test(gap.slice(0, 60))) amend(last, gap.slice(0, 90))
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
  const entries = judged(text, PATTERNS.get(family) ?? [])
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
