/**
 * The product's own words as a grammar: all that its telling functions may say, by drawing every draw of theirs in
 * every way.
 */
import { LEGS } from "../../../actors/registration/questions/bank/animals.ts"
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import type { Family } from "../../../actors/registration/questions/family.ts"
import { CARDINAL, LANGUAGES, PHRASES } from "../../../actors/registration/questions/language/foreign.ts"
import * as mood from "../../../actors/registration/questions/language/mood.ts"
import { NAMES } from "../../../actors/registration/questions/language/names.ts"
import { withArticles } from "../../../actors/registration/questions/language/text.ts"
import { exchanged } from "../../../actors/registration/questions/story/cast.ts"
import type { World } from "../../../actors/registration/questions/story/world.ts"
import { GOODS } from "../../../actors/registration/questions/worlds/goods.ts"
import { MONTHS } from "../../../actors/registration/questions/worlds/themes-times.ts"
import { randomFromSeed } from "../../../actors/registration/questions/random.ts"
import { toCardinal } from "n2words/en-US"
import { everything, Grammar, type Slots } from "./grammar.ts"
import { seedOf } from "./measure.ts"
import { sourceText } from "./text.ts"

const LARGEST = 2100
const LARGEST_IN_WORDS = 130
const SEEDS = 40

export type Person = string | { readonly relation: string; readonly value: string }
/** As it is read: people and things by what they are called. */
export interface Told {
  readonly act: number
  readonly who: Person
  readonly whom: Person | null
  readonly n: number
  readonly what: string | null
}
export type Unit =
  | { readonly type: "tell"; readonly move: Told; readonly counts: boolean; readonly by: Person | null }
  | { readonly type: "instead"; readonly wrong: unknown; readonly right: unknown }
  | { readonly type: "retold" | "denied" | "restated" | "chosen"; readonly move: Told }
  | { readonly type: "late"; readonly move: Told; readonly change: Unit }
  | { readonly type: "cancel" | "again" }
  | { readonly type: "like"; readonly who: Person; readonly n: number; readonly opposite: boolean }
  | { readonly type: "sign"; readonly sign: number }
  | { readonly type: "between"; readonly from: number; readonly to: number }
  | { readonly type: "liar"; readonly who: Person }
  | { readonly type: "intro"; readonly name: string; readonly mark: Mark }
  | { readonly type: "setting"; readonly slots: Slots }
export interface Mark {
  readonly relation: string
  readonly key: string
}

const source = sourceText()
/** The strings of a list that the source does not export, by the list's name. */
const listed = (name: string): ReadonlyArray<string> => {
  const body = new RegExp(`const ${name}[^=]*= \\[([\\s\\S]*?)\\](?: as const)?\\n`).exec(source)?.[1]
  if (body === undefined) throw new Error(`the source has no list ${name}`)
  return [...body.matchAll(/"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map(([, one, other]) =>
    (one ?? other ?? "").replaceAll('\\"', '"')
  )
}

const distinct = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]
const number = (slot: unknown): number => (typeof slot === "number" ? slot : 0)

const addNumbers = (grammar: Grammar): void => {
  for (let n = 0; n <= LARGEST; n++) grammar.add("number", String(n), () => n)
  for (let n = 0; n <= LARGEST_IN_WORDS; n++) {
    for (const text of distinct([toCardinal(n), ...(n > 60 ? [] : LANGUAGES.map((language) => CARDINAL[language](n)))]))
      grammar.add("number", text, () => n)
  }
  for (let minute = 0; minute < 1440; minute++) {
    const [hour, rest] = [Math.floor(minute / 60), String(minute % 60).padStart(2, "0")]
    grammar.add("clock", `${String(hour).padStart(2, "0")}:${rest}`, () => minute)
    grammar.add("clock", `${hour % 12 === 0 ? 12 : hour % 12}:${rest} ${hour < 12 ? "am" : "pm"}`, () => minute)
  }
  for (const [index, month] of MONTHS.entries())
    grammar.add(
      "date",
      `{d:number} ${month}`,
      ({ d }) => (Date.UTC(2023, index, number(d)) - Date.UTC(2022, 11, 31)) / 86_400_000
    )
  grammar.add("bare", "{n:number}", ({ n }) => n)
  grammar.add("bare", "{n:number} minus one", ({ n }) => number(n) - 1)
}

const addQuantities = (grammar: Grammar, { noun, foreignNoun }: World): void => {
  const nouns =
    foreignNoun === null
      ? [noun.one, ...noun.many]
      : GOODS.flatMap((good) => [good.noun.one, ...good.noun.many, ...Object.values(good.foreign)])
  for (const one of distinct(nouns)) grammar.add("noun", one, () => 0)
  for (const { phrase, n } of OUR_BANK.measures) grammar.add("measure", phrase, () => n)
  for (const [index, factor] of ["", "twice", "three times", "four times", "five times"].entries())
    grammar.add("factor", factor, () => index + 1)
  const add = (template: string, value: (n: number, m: number, f: number) => number): void =>
    grammar.add(
      "quantity",
      template
        .replaceAll("#", "{n:number}")
        .replaceAll("U", "{u:noun}")
        .replace("M", "{m:measure}")
        .replace("F", "{f:factor}"),
      ({ n, m, f }) => value(number(n), number(m), number(f))
    )
  const as = ["F as many U as there are M", "U F as many as there are M", "a number of U equal to F the number of M"]
  for (const template of as) add(template, (_, m, f) => m * f)
  for (const template of ["# U more than F the number of M", "F as many U as there are M and # besides"])
    add(template, (n, m, f) => m * f + n)
  for (const template of ["# U fewer than F the number of M", "F as many U as there are M less #"])
    add(template, (n, m, f) => m * f - n)
  add("# U", (n) => n)
  add("a dozen U plus #", (n) => 12 + n)
  add("a dozen U less #", (n) => 12 - n)
  for (const [index, part] of ["half of", "a third of", "a quarter of"].entries())
    add(`${part} # U`, (n) => n / (index + 2))
  for (const [index, factor] of ["twice", "three times", "four times"].entries())
    add(`${factor} # U`, (n) => n * (index + 2))
  grammar.add("quantity", "{n:number} and then another {m:number} {u:noun}", ({ n, m }) => number(n) + number(m))
  grammar.add("quantity", "{n:number} {u:noun} which is {m:number} more than somebody had guessed", ({ n }) => n)
}

const addPeople = (grammar: Grammar): void => {
  for (const name of NAMES) grammar.add("name", name, () => name)
  grammar.add("person", "{name:name}", ({ name }) => name)
  for (const text of ["she", "he", "her", "him", "the same person"]) grammar.add("person", text, () => "same")
  for (const head of ["one", "person", "woman", "man"]) {
    grammar.add("person", `the ${head} {ref:ref}`, ({ ref }) => ref)
    grammar.add("person", `the ${head} who {g:gap}`, () => ({ relation: "", value: "" }))
    grammar.add("person", `the ${head} whose {g:gap}`, () => ({ relation: "", value: "" }))
  }
  for (const { name: relation, intro, ref, pairs } of OUR_BANK.relations) {
    for (const [key, value] of pairs) {
      for (const text of intro) grammar.add("intro", withArticles(text.replace("{}", key)), () => ({ relation, key }))
      for (const text of ref) grammar.add("ref", text.replace("{}", value), () => ({ relation, value }))
    }
  }
  for (const text of [
    "{a:name} {m:intro}",
    "it is {a:name} who {m:intro}",
    "someone {m:intro} namely {a:name}",
    "know that {a:name} {m:intro}"
  ]) {
    grammar.add("unit", text, ({ a, m }) => ({ type: "intro", name: a, mark: m }))
  }
  const person = (name: string) => ({ name, woman: false, mark: null })
  const mark = (slot: string) => ({ relation: { name: "", intro: [slot], ref: [], pairs: [] }, key: "", value: "" })
  for (const text of everything((random) =>
    exchanged(random, person("{a:name}"), person("{b:name}"), mark("{i:intro}"), mark("{j:intro}"))
  )) {
    // What is told of the second is the first one's.
    grammar.add("exchanged", text, ({ a, b, i, j }) => [
      { type: "intro", name: a, mark: i },
      { type: "intro", name: b, mark: j }
    ])
  }
}

const addClaims = (grammar: Grammar): void => {
  for (const item of distinct([...OUR_BANK.matrices.flatMap(({ items }) => items), ...Object.keys(LEGS)]))
    grammar.add("item", item, () => item)
  for (const phrase of distinct(
    OUR_BANK.matrices.flatMap(({ properties }) => properties.flatMap(({ is, not }) => [...is, ...not]))
  ))
    grammar.add("phrase", phrase, () => phrase)
  for (const text of everything((random) => mood.claiming(random, "{i:item}", "{w:phrase}")))
    grammar.add("claim", text, ({ i, w }) => holds(String(i), String(w)))
}

/** Whether what the phrase says is true of the item; null where the bank does not say. */
export const holds = (item: string, phrase: string): boolean | null => {
  for (const { items, properties } of OUR_BANK.matrices) {
    if (!items.includes(item)) continue
    const property = properties.find(({ is, not }) => is.includes(phrase) || not.includes(phrase))
    if (property !== undefined) return property.yes.has(item) === property.is.includes(phrase)
  }
  return null
}

const addClauses = (grammar: Grammar, { acts }: World): void => {
  grammar.add("aside", "", () => 0)
  for (const text of distinct(everything((random) => mood.aside(random, () => "{o:name}", "{n:number}"))))
    grammar.add("aside", text, () => 0)
  for (const [act, { english, foreign }] of acts.entries()) {
    const build = ({ p, x, o, n, w }: Slots): unknown => ({ act, who: p ?? x, whom: o ?? null, n, what: w ?? null })
    for (const frame of english) {
      grammar.add(
        "clause",
        frame
          .replace(/\{([pxo])\}/g, "{$1:person}")
          .replaceAll("{q}", "{n:quantity}")
          .replaceAll("{w}", "{w:what}")
          .replaceAll("|", "{a:aside}"),
        build
      )
    }
    for (const frame of Object.values(foreign ?? {})) {
      grammar.add(
        "clause",
        frame
          .replace(/\{([pxo])\}/g, "{$1:name}")
          .replaceAll("{n}", "{n:number}")
          .replaceAll("{N}", "{u:noun}")
          .replaceAll("{w}", "{w:what}"),
        build
      )
    }
  }
}

const UP =
  /\b(?:right|more|gain\w*|extra|better|richer|kept|keep|got|get|top|found|up|on|forward|later|luck\w*|kind|generous|smiled|sweet\w*|reads?|ends?|delight|last)\b/
const DOWN =
  /\b(?:left|less|fewer|lost|poorer|worse|away|against|down|back|off|before|earlier|unlucky|harsh|frowned|grudge|begins|dismay|robbed|missing|rid|without|first|gave)\b/
const direction = (text: string): number => (DOWN.test(text) && !UP.test(text) ? 1 : 0)

/**
 * Words that are nobody's known frame: a person, a number and a thing near each other, and a guess at which way it
 * goes.
 */
const addUnknownClauses = (grammar: Grammar, { things, acts }: World): void => {
  const parts = ["{p:person}", "{n:quantity}", ...(things.length > 0 ? ["{w:what}"] : [])]
  const orders = parts.flatMap((one) =>
    parts
      .filter((two) => two !== one)
      .map((two) => [one, two, ...parts.filter((three) => three !== one && three !== two)])
  )
  const texts = orders.map((order) =>
    order.map((part, index) => (index === 0 ? part : `{${"ghi"[index] ?? "g"}:gap}${part}`)).join("")
  )
  if (acts.length > 2)
    texts.push(
      ...["pno", "pon", "opn", "onp", "nop", "npo"].map((order) =>
        [...order]
          .map(
            (slot, index) =>
              `${index === 0 ? "" : `{${"ghi"[index] ?? "g"}:gap}`}{${slot}:${slot === "n" ? "quantity" : "person"}}`
          )
          .join("")
      )
    )
  for (const text of texts) {
    grammar.add("clause", text, ({ p, n, w, o, g, h, i }) => ({
      act: o === undefined ? direction([g, h, i].join(" ")) : 2,
      who: p,
      whom: o ?? null,
      n,
      what: w ?? null
    }))
  }
}

const addUtterances = (grammar: Grammar): void => {
  const add = (texts: ReadonlyArray<string>, build: (slots: Slots) => unknown): void => {
    for (const text of distinct(texts)) grammar.add("unit", text, build)
  }
  const foreign = (part: keyof (typeof PHRASES)["es"]): ReadonlyArray<string> =>
    LANGUAGES.flatMap((language) =>
      PHRASES[language][part].map((text) =>
        text
          .replace("{c}", "{c:clause}")
          .replace("{p}", "{p:name}")
          .replace("{w}", "{w:number}")
          .replace("{r}", "{r:number}")
      )
    )
  const c = "{c:clause}"
  const told =
    (counts: boolean) =>
    ({ c: move, p }: Slots): unknown => ({ type: "tell", move, counts, by: p ?? null })
  add(
    [
      ...everything((random) => mood.opened(random, c)),
      ...everything((random) => mood.counting(random, c, () => "{o:name}")),
      ...foreign("so")
    ],
    told(true)
  )
  add([...everything((random) => mood.notCounting(random, c, () => "{o:name}")), ...foreign("notSo")], told(false))
  add([...everything((random) => mood.saying(random, "{p:person}", c)), ...foreign("says")], told(true))
  const instead = everything((random) => mood.instead(random, "{w:value}", "{r:value}"))
  const changed = ({ w, r }: Slots): unknown => ({ type: "instead", wrong: w, right: r })
  for (const kind of ["bare", "person", "what"]) grammar.add("value", `{v:${kind}}`, ({ v }) => v)
  add([...instead, ...foreign("instead")], changed)
  for (const text of distinct(instead)) grammar.add("change", text, changed)
  for (const text of listed("IN_FACT"))
    grammar.add("change", `${text} ${c}`, ({ c: move }) => ({ type: "retold", move }))
  const moved =
    (type: string) =>
    ({ c: move }: Slots): unknown => ({ type, move })
  add(
    everything((random) => mood.retold(random, c)),
    moved("retold")
  )
  add(
    everything((random) => mood.late(random, c, "{a:change}")),
    ({ c: move, a }) => ({ type: "late", move, change: a })
  )
  add(
    everything((random) => mood.denied(random, c)),
    moved("denied")
  )
  add([...everything((random) => mood.restated(random, c)), ...foreign("restated")], moved("restated"))
  add([...everything(mood.forgetting), ...everything(mood.undone), ...foreign("forget"), ...foreign("undone")], () => ({
    type: "cancel"
  }))
  add([...everything(mood.again), ...foreign("again")], () => ({ type: "again" }))
  add(
    everything((random) => mood.selecting(random, "{k:claim}", "{y:clause}", "{z:clause}")),
    ({ k, y, z }) => ({ type: "chosen", move: k === true ? y : z })
  )
  add(
    everything((random) => mood.contrasting(random, "{y:clause}", "{z:clause}")),
    ({ y }) => ({ type: "chosen", move: y })
  )
  add(
    everything((random) => mood.likewise(random, "{p:person}", "{n:bare}")),
    ({ p, n }) => ({ type: "like", who: p, n, opposite: false })
  )
  add(
    everything((random) => mood.opposite(random, "{p:person}", "{n:bare}")),
    ({ p, n }) => ({ type: "like", who: p, n, opposite: true })
  )
  add(
    [...everything((random) => mood.distrusting(random, "{p:person}", "{h:person}")), ...foreign("distrust")],
    ({ p }) => ({ type: "liar", who: p })
  )
  add(["{s:sign}"], ({ s }) => ({ type: "sign", sign: s }))
  for (const [index, text] of listed("SIGNS").entries()) grammar.add("sign", text, () => index)
  for (const text of [...source.matchAll(/\(from, to\) =>\s*`([^`]*)`/g)].map(([, said = ""]) => said)) {
    add([text.replace("${from}", "{f:sign}").replace("${to}", "{t:sign}")], ({ f, t }) => ({
      type: "between",
      from: f,
      to: t
    }))
  }
}

const SETTINGS: Readonly<Record<string, ReadonlyArray<string>>> = {
  cards: [
    "everyone has cards that name these things: I; at first each is worth {n:number}",
    "the cards of all name things (I), each worth {n:number} points at the outset"
  ],
  collection: [
    "at first everybody had {n:number} stickers each of the words I",
    "everyone starts with {n:number} stickers of each kind: I"
  ]
}
const QUESTIONS: Readonly<Record<string, ReadonlyArray<string>>> = {
  "card-number": [
    "What is the card {i:item} of {p0:person} worth at the end?",
    "At the end, how many points has the card saying {i:item} that belongs to {p0:person}?"
  ],
  stickers: [
    "How many stickers naming something that {w:phrase} does {p0:person} have in the end?",
    "At the end, on how many stickers of {p0:person} does a word stand for a thing that {w:phrase}?"
  ]
}
const slots = (kind: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `{r${index}:${kind}}`).join(" ")

/** What a drawn world's own values are replaced by: the slots that read them. */
const opened = (text: string, { candidates, things, noun, foreignNoun }: World): string => {
  const names = candidates ?? things.flat().map((thing) => thing.replace("the ", ""))
  const lists = [names.join(", "), `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`]
  let said = text
  for (const list of lists)
    if (names.length > 1)
      said = said.replace(list, () =>
        slots("place", names.length).replace(/(?= \{r5)/, list.includes(" and ") ? " and" : "")
      )
  if (candidates !== null && candidates[0] === "A") return said.replace(/letter [A-Z](?= |$)/, "letter {n:place}")
  if (candidates !== null && !said.includes("{r0"))
    said = said.replace(new RegExp(`(?<![\\p{L}{:])(?:${candidates.join("|")})(?![\\p{L}}:])`, "u"), "{n:place}")
  said = said.replace(/\d+:\d+(?: [ap]m)?/, "{n:clock}").replace(new RegExp(`\\d+ (?:${MONTHS.join("|")})`), "{n:date}")
  if (foreignNoun !== null)
    for (const one of noun.many) said = said.replace(new RegExp(`(?<![\\p{L}{:])${one}(?![\\p{L}}:])`, "u"), "{u:noun}")
  return said.replace(/(?<![\p{L}{\d])\d{2,}(?![:}\d])/u, "{n:number}")
}

const worlds = (family: Family): ReadonlyArray<World> =>
  Array.from({ length: SEEDS }, (_, index) => family.world(randomFromSeed(seedOf("worlds", index)), OUR_BANK))
const tellerOf = (random: Parameters<Parameters<typeof everything>[0]>[0]) => ({
  random,
  cast: { people: [], strangers: [] },
  person: (index: number) => `{p${index}:person}`,
  count: () => "{n:quantity}"
})

/** Kind "question" alone, for all families: the value names the family. */
export const addQuestions = (grammar: Grammar, family: Family): void => {
  const texts =
    QUESTIONS[family.name] ??
    worlds(family)
      .slice(0, family.name.startsWith("shelf") ? SEEDS : 8)
      .flatMap((world) =>
        everything((random) => world.question(tellerOf(random))).map((text) =>
          family.name.startsWith("shelf") ? text : opened(text, world)
        )
      )
  for (const text of distinct(texts)) {
    const from = /places 2|leftmost thing\b/.test(text) ? 1 : /places 3|leftmost things/.test(text) ? 2 : 0
    grammar.add("question", text, (read) => ({
      ...read,
      family: family.name,
      from,
      minus: /more .* than|surpass/.test(text)
    }))
  }
}

export const basics = (grammar: Grammar): Grammar => {
  addNumbers(grammar)
  addPeople(grammar)
  addClaims(grammar)
  return grammar
}

export const grammarOf = (family: Family): Grammar => {
  const grammar = basics(new Grammar())
  const drawn = worlds(family)
  const [world] = drawn
  if (world === undefined) throw new Error("no world")
  addQuantities(grammar, world)
  addClauses(grammar, world)
  addUnknownClauses(grammar, world)
  addUtterances(grammar)
  addQuestions(grammar, family)
  const places = distinct(
    drawn.flatMap(({ candidates, things }) => candidates ?? things.flat().map((thing) => thing.replace("the ", "")))
  )
  if (family.engine === "sum" || family.engine === "row")
    for (const place of places) grammar.add("place", place, () => place)
  if (family.engine === "row") grammar.add("what", "the {w:place}", ({ w }) => w)
  if (family.engine === "cards") grammar.add("what", "{w:phrase}", ({ w }) => w)
  if (family.engine === "collection") grammar.add("what", "{w:item}", ({ w }) => w)
  const settings =
    SETTINGS[family.engine]?.flatMap((text) => [3, 4, 5].map((count) => text.replace("I", slots("item", count)))) ??
    drawn.flatMap((one) =>
      everything((random) => one.setting(tellerOf(random)))
        .flat()
        .map((text) => opened(text, one))
    )
  for (const text of distinct(settings)) {
    const who = /\{p(\d)/.exec(text)?.[1]
    grammar.add("unit", text, (read) => ({
      type: "setting",
      slots: { ...read, who: who === undefined ? null : read[`p${who}`] }
    }))
  }
  return grammar
}
