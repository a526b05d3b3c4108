/** From clauses to sentences. */
import type { Random } from "../random.ts"

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** What filling leaves behind: doubled commas and spaces, a comma before a full stop. */
const tidy = (text: string): string =>
  text
    .replace(/,(?:\s*,)+/g, ",")
    .replace(/\s{1,4}([,.;)])/g, "$1")
    .replace(/,\s*([.;:?)])/g, "$1")
    .replace(/,(?=[\p{L}\d«"])/gu, ", ")
    .replace(/\s{2,}/g, " ")
    .trim()

/** "a" made "an" where a vowel follows. */
export const withArticles = (text: string): string =>
  text.replace(/\b([Aa]) (?=["“]?(?:[aeioAEIO]|u(?!n?i|se)))/g, "$1n ")

const PAUSES = [" – er – ", "... ", ", hm, ", " (let me see) ", " – ", "; well, ", ". Um, ", " – how shall I put it – "]
const NUMBERED = /\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|teen|ty\b|times|dozen|[«»"(),;:–]/
const HESITANT_OF_TEN = 2

/** A pause inside the clause, of the kind that elsewhere ends one; never within a quantity or what is quoted. */
function hesitant(random: Random, clause: string): string {
  if (random.int(1, 10) > HESITANT_OF_TEN || /["«]/.test(clause)) return clause
  const words = clause.split(" ")
  const at = random.int(1, Math.max(1, words.length - 2))
  const [before = "", after = ""] = [words[at - 1], words[at]]
  if (NUMBERED.test(before) || NUMBERED.test(after) || after === "") return clause
  return `${words.slice(0, at).join(" ")}${random.pick(PAUSES)}${words.slice(at).join(" ")}`
}

/** Clauses joined to running text; where one ends is not always marked in the same way. */
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
