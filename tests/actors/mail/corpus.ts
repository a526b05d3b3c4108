/**
 * Messages as they come from many kinds of senders, with what is to be found in them (`corpus/*.txt`): a
 * name, sender, subject, codes and kinds of links in their order, then text and HTML.
 *
 * A fifth, by a sum over the name, is set aside: rules are tuned on the others, and it tells whether they hold.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Readable } from "../../../actors/mail/codes/found.ts"

export interface Example {
  readonly name: string
  readonly mail: Readable
  readonly codes: ReadonlyArray<string>
  readonly links: ReadonlyArray<string>
  readonly setAside: boolean
}

const FOLDER = join(import.meta.dirname, "corpus")
const SET_ASIDE = 5

const words = (text: string): ReadonlyArray<string> => text.split(" ").filter((word) => word !== "")

const sumOf = (name: string): number => {
  let sum = 0
  for (const char of name) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 65_521
  return sum
}

const exampleOf = (block: string): Example => {
  const [name = "", ...lines] = block.split("\n")
  const field = (mark: string): string => lines.find((line) => line.startsWith(`${mark} `))?.slice(2) ?? ""
  const part = (mark: string, until: string): string | null => {
    const from = lines.indexOf(mark)
    const to = lines.indexOf(until, from)
    return from < 0 ? null : lines.slice(from + 1, to < 0 ? lines.length : to).join("\n")
  }
  return {
    name,
    mail: { from: field("F"), subject: field("S"), text: part("T", "H") ?? "", html: part("H", "T") },
    codes: words(field("C")),
    links: words(field("L")),
    setAside: sumOf(name) % SET_ASIDE === 0
  }
}

export const examples: ReadonlyArray<Example> = readdirSync(FOLDER)
  .toSorted()
  .flatMap((file) => readFileSync(join(FOLDER, file), "utf8").split(/^=== /m).slice(1))
  .map(exampleOf)
