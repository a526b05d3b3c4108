/** The source as text, and what its number words mean. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { CARDINAL, LANGUAGES } from "../../../actors/registration/questions/language/foreign.ts"
import { toCardinal } from "n2words/en-US"

const SOURCE = join(import.meta.dirname, "..", "..", "..", "actors", "registration", "questions")

/** Every file of the product's questions, as text. */
export const sourceText = (folder = SOURCE): string =>
  readdirSync(folder)
    .map((name) => {
      const path = join(folder, name)
      return statSync(path).isDirectory() ? sourceText(path) : readFileSync(path, "utf8")
    })
    .join("\n")

const LARGEST = 130
export const NUMBERS: ReadonlyMap<string, number> = new Map(
  Array.from({ length: LARGEST }, (_, n) => n).flatMap((n) => [
    [toCardinal(n), n] as const,
    ...LANGUAGES.map((language) => [CARDINAL[language](n), n] as const)
  ])
)
