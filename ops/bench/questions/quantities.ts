/** Numbers, times and quantities as a grammar. */
import { OUR_BANK } from "../../../actors/registration/questions/bank/index.ts"
import { CARDINAL, LANGUAGES } from "../../../actors/registration/questions/language/foreign.ts"
import type { World } from "../../../actors/registration/questions/story/world.ts"
import { GOODS } from "../../../actors/registration/questions/worlds/goods.ts"
import { MONTHS } from "../../../actors/registration/questions/worlds/themes-times.ts"
import { toCardinal } from "n2words/en-US"
import type { Grammar } from "./grammar.ts"
import { distinct } from "./text.ts"

const LARGEST = 2100
const LARGEST_IN_WORDS = 130

const number = (slot: unknown): number => (typeof slot === "number" ? slot : 0)

export const addNumbers = (grammar: Grammar): void => {
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

export const addQuantities = (grammar: Grammar, { noun, foreignNoun }: World): void => {
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
