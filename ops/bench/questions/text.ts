/** The source as text, and what its number words mean. */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { CARDINAL, LANGUAGES } from "../../../actors/registration/questions/language/foreign.ts"
import { toCardinal } from "n2words/en-US"

const SOURCE = join(import.meta.dirname, "..", "..", "..", "actors", "registration", "questions")

/** Every file of the product's questions, as text. */
const sourceText = (folder = SOURCE): string =>
  readdirSync(folder)
    .map((name) => {
      const path = join(folder, name)
      return statSync(path).isDirectory() ? sourceText(path) : readFileSync(path, "utf8")
    })
    .join("\n")

export const source = sourceText()
/** The strings of a list that the source does not export, by the list's name. */
export const listed = (name: string): ReadonlyArray<string> => {
  const body = new RegExp(`const ${name}[^=]*= \\[([\\s\\S]*?)\\](?: as const)?\\n`).exec(source)?.[1]
  if (body === undefined) throw new Error(`the source has no list ${name}`)
  return [...body.matchAll(/"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map(([, one, other]) =>
    (one ?? other ?? "").replaceAll('\\"', '"')
  )
}

export const distinct = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]

const LARGEST = 130
export const NUMBERS: ReadonlyMap<string, number> = new Map(
  Array.from({ length: LARGEST }, (_, n) => n).flatMap((n) => [
    [toCardinal(n), n] as const,
    ...LANGUAGES.map((language) => [CARDINAL[language](n), n] as const)
  ])
)
