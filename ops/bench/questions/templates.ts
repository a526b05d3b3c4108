/**
 * The product's own words as a grammar: all that its telling functions may say, by drawing every draw of theirs in
 * every way.
 */
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import type { Family } from "../../../actors/registration/questions/family.ts"
import { randomFromSeed } from "../../../actors/registration/questions/random.ts"
import type { World } from "../../../actors/registration/questions/story/world.ts"
import { MONTHS } from "../../../actors/registration/questions/worlds/themes-times.ts"
import { addClauses, addUnknownClauses } from "./clauses.ts"
import { everything, Grammar } from "./grammar.ts"
import { seedOf } from "./measure.ts"
import { addClaims, addPeople } from "./people.ts"
import { addNumbers, addQuantities } from "./quantities.ts"
import { distinct } from "./text.ts"
import { addUtterances } from "./utterances.ts"

const SEEDS = 40

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
