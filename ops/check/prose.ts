/**
 * Counts sentences that are hard to read: those that open with a noun clause, those of more than 30 words, and those
 * with words of a private vocabulary. Exits with status 1 if a file has more of them than `prose.json` allows.
 *
 * Invariants
 *  - Documents, comments, and texts in code for people or agents have no such sentences beyond the list. `--write`
 *    lowers the numbers of the list and never raises them.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync } from "vite"
import { projectRoot } from "../launcher/paths.ts"

const ALLOWED = join(projectRoot, "ops", "check", "prose.json")
const WORDS_MAX = 30
/** Shorter sentences are not judged, and shorter texts in code are no prose. */
const WORDS_MIN = 4
const CODE = /^(?:schemas|edge|actors|ops)\/.*\.ts$/
const DOCUMENT = /\.md$/
/** A block of code in a comment: an indented paragraph. */
const INDENTED = /\n\n(?: {2,}[^\n]*(?:\n|$))+/g
/** A text that is code: of a program, a style sheet or a database. */
const NO_PROSE = /[{};=<>]|^\s*(?:insert into|select|update|delete from|with) /

/**
 * Data, migrations, the texts of questions, patterns for other people's mail, tests, and terms that were accepted as
 * they are.
 */
const LEFT_OUT =
  /^(?:edge\/docs\/terms\/2026-11-25\.md$|ops\/(?:library|migrations)\/|actors\/(?:registration\/questions|mail\/codes)\/|tests\/)/

const NOUN_CLAUSE =
  /^(?:What(?:ever)?|Who(?:ever|se)?|Whom(?:ever)?|Where(?:ver)?|Whether|How|Of|That which)\b(?!.*\?$)/
const PRIVATE = /\b(?:thereof|likewise|hereby|purse|lent to|but for|what is told|is told of)\b/i

export interface Counts {
  readonly clauses: number
  readonly long: number
  readonly words: number
}

const NONE: Counts = { clauses: 0, long: 0, words: 0 }

const plus = (one: Counts, other: Counts): Counts => ({
  clauses: one.clauses + other.clauses,
  long: one.long + other.long,
  words: one.words + other.words
})

const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => /\p{L}/u.test(word)).length

/** The sentences of a paragraph. A full stop within a word, as in `prose.ts`, does not end one. */
const sentencesIn = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll(/\s+/g, " ")
    .split(/(?<=[.!?:])\s+(?=[\p{Lu}`"([])/u)
    .map((sentence) => sentence.trim())

export const countsOf = (text: string): Counts =>
  sentencesIn(text).reduce((counts, sentence) => {
    if (wordsIn(sentence) < WORDS_MIN) return counts
    return plus(counts, {
      clauses: NOUN_CLAUSE.test(sentence) ? 1 : 0,
      long: wordsIn(sentence) > WORDS_MAX ? 1 : 0,
      words: PRIVATE.test(sentence) ? 1 : 0
    })
  }, NONE)

/** Paragraphs, list items and table cells of markdown; blocks of code are left out, and code in a line is one word. */
export const paragraphsOf = (markdown: string): ReadonlyArray<string> =>
  markdown
    .replaceAll(/^```[\s\S]*?^```$/gm, "\n")
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .replaceAll(/`[^`\n]+`/g, "Code")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/[*_[\]]/g, "")
    .split(/\n\s*\n|\n(?=\s*(?:[-|#>]|\d+\.) )|\|/)
    .map((piece) => piece.replace(/^\s*(?:[-#>]+|\d+\.)\s/, "").trim())
    .filter((piece) => piece !== "")

interface SyntaxNode {
  readonly type: string
  readonly value?: unknown
  readonly quasis?: ReadonlyArray<{ readonly value: { readonly cooked: string | null } }>
}

/** Texts in code as their readers see them. An inserted value counts as one word. */
const textsIn = (program: unknown): ReadonlyArray<string> => {
  const found: Array<string> = []
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    const node = value as SyntaxNode
    if (node.type === "ImportDeclaration") return
    if (node.type === "Literal" && typeof node.value === "string") found.push(node.value)
    if (node.type === "TemplateLiteral")
      found.push((node.quasis ?? []).map((part) => part.value.cooked ?? "").join("it"))
    for (const part of Object.values(value)) walk(part)
  }
  walk(program)
  return found.filter((text) => wordsIn(text) >= WORDS_MIN && !NO_PROSE.test(text))
}

const countsIn = (texts: ReadonlyArray<string>): Counts => texts.map(countsOf).reduce(plus, NONE)

const judged = (file: string, text: string): Counts => {
  if (DOCUMENT.test(file)) return countsIn(paragraphsOf(text))
  const { program, comments } = parseSync(file, text)
  const remarks = comments.flatMap(({ value }) =>
    value
      .replaceAll(/^\s*\* ?/gm, "")
      .replaceAll(INDENTED, "\n\n")
      .split(/\n\s*\n|^ *(?:-|\d\.) /m)
      .map((paragraph) => paragraph.replace(/^Invariants\s/, ""))
  )
  return countsIn([...textsIn(program), ...remarks])
}

const totalOf = ({ clauses, long, words }: Counts): number => clauses + long + words

const main = (): void => {
  const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: projectRoot,
    encoding: "utf8"
  }).split("\n")
  const allowed = JSON.parse(readFileSync(ALLOWED, "utf8")) as Readonly<Record<string, number>>
  const left: Record<string, number> = {}
  let isWorse = false
  for (const file of files.filter((one) => (CODE.test(one) || DOCUMENT.test(one)) && !LEFT_OUT.test(one))) {
    const found = judged(file, readFileSync(join(projectRoot, file), "utf8"))
    const count = totalOf(found)
    const most = allowed[file] ?? 0
    const rest = Math.min(count, most)
    if (rest > 0) left[file] = rest
    if (count <= most) continue
    isWorse = true
    const { clauses, long, words } = found
    console.error(`${file}: ${clauses} noun clauses, ${long} long sentences, ${words} private words; ${most} allowed`)
  }
  const sum = Object.values(left).reduce((one, other) => one + other, 0)
  console.log(`prose: ${sum} sentences left to rewrite in ${Object.keys(left).length} files`)
  if (process.argv.includes("--write")) writeFileSync(ALLOWED, `${JSON.stringify(left, null, 2)}\n`)
  if (isWorse) process.exitCode = 1
}

if (import.meta.main) main()
