/** Joins clauses to sentences and running text. */
import type { Random } from "../random.ts"

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Repairs the punctuation of filled templates: doubled commas and spaces, a comma before a full stop. */
const tidy = (text: string): string =>
  text
    .replace(/,(?:\s*,)+/g, ",")
    .replace(/\s{1,4}([,.;)])/g, "$1")
    .replace(/,\s*([.;:?)])/g, "$1")
    .replace(/,(?=[\p{L}\d«"])/gu, ", ")
    .replace(/\s{2,}/g, " ")
    .trim()

/** Replaces "a" by "an" before a vowel. */
export const withArticles = (text: string): string =>
  text.replace(/\b([Aa]) (?=["“]?(?:[aeioAEIO]|u(?!n?i|se)))/g, "$1n ")

const PAUSES = [" – er – ", "... ", ", hm, ", " (let me see) ", " – ", "; well, ", ". Um, ", " – how shall I put it – "]
const NUMBERED = /\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|teen|ty\b|times|dozen|[«»"(),;:–]/
const HESITANT_OF_TEN = 2

/** Adds a pause to some clauses, often with a sign that also ends clauses. Quantities and quoted text stay whole. */
function hesitant(random: Random, clause: string): string {
  if (random.int(1, 10) > HESITANT_OF_TEN || /["«]/.test(clause)) return clause
  const words = clause.split(" ")
  const at = random.int(1, Math.max(1, words.length - 2))
  const [before = "", after = ""] = [words[at - 1], words[at]]
  if (NUMBERED.test(before) || NUMBERED.test(after) || after === "") return clause
  return `${words.slice(0, at).join(" ")}${random.pick(PAUSES)}${words.slice(at).join(" ")}`
}

/** Joins clauses to running text. The ends of clauses are marked in different ways. */
export function running(random: Random, clauses: ReadonlyArray<string>): string {
  let text = ""
  let fresh = true
  for (const [i, clause] of clauses.entries()) {
    const said = hesitant(random, tidy(clause).replace(/,$/, ""))
    text += fresh ? capital(said) : said
    if (i === clauses.length - 1) return `${text}.`
    const joint = random.pick([". ", ". ", ". ", ". ", "; ", " – ", "... "])
    fresh = joint === ". " || joint === "... "
    text += joint
  }
  return text
}
