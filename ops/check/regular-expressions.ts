/**
 * Judges the regular expressions of the product: the time to match any text must be linear in its length. Exits with
 * status 1 if an expression fails.
 *
 * Invariants
 *  - Expressions are found in the syntax tree: literals, and calls of `RegExp`.
 *  - An expression that is built at run time cannot be judged, and fails the check.
 *  - Verdicts are committed (verdicts.json). The check compares them with the sources and analyzes nothing. `--write`
 *    analyzes the new expressions and writes the file. The analysis is bounded in steps, so a verdict does not depend
 *    on the pace of the machine.
 *  - Tools that read only this project's own text are exempt: `OWN_TEXT`.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync } from "vite"
import { projectRoot } from "../launcher/paths.ts"

const FOLDERS = ["edge", "actors", "schemas", "ops"]
const OWN_TEXT: ReadonlyArray<string> = [
  "ops/kit/build.ts",
  "ops/contracts/write.ts",
  "ops/check/prose.ts",
  "ops/bench/"
]
const VERDICTS = join(projectRoot, "ops", "check", "verdicts.json")
/** The only value in the file: expressions that are not linear are never added. */
const LINEAR = "linear"
/** No time limit: the library's own bounds on steps and on the automaton's size end each analysis. */
const NO_TIME_LIMIT = { timeout: null }

export interface FoundExpression {
  readonly file: string
  readonly line: number
  /** `null` for an expression that is built at run time. */
  readonly pattern: string | null
  readonly flags: string
}

interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly regex?: { readonly pattern: string; readonly flags: string }
  readonly callee?: { readonly name?: string }
  readonly arguments?: ReadonlyArray<{ readonly value?: unknown }>
}

const isNode = (value: object): value is SyntaxNode => "type" in value && "start" in value

const judgedIn = (node: SyntaxNode): { readonly pattern: string | null; readonly flags: string } | null => {
  if (node.regex !== undefined) return node.regex
  const made = (node.type === "NewExpression" || node.type === "CallExpression") && node.callee?.name === "RegExp"
  if (!made) return null
  const [pattern, flags] = (node.arguments ?? []).map(({ value }) => value)
  return { pattern: typeof pattern === "string" ? pattern : null, flags: typeof flags === "string" ? flags : "" }
}

export const regularExpressionsIn = (file: string, text: string): ReadonlyArray<FoundExpression> => {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  const found: Array<FoundExpression> = []
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    const judged = isNode(value) ? judgedIn(value) : null
    if (judged !== null && isNode(value))
      found.push({ file, line: text.slice(0, value.start).split("\n").length, ...judged })
    for (const part of Object.values(value)) walk(part)
  }
  walk(program)
  return found
}

/** Describes the fault of an expression. Returns `null` if there is none. */
export const judge = async ({ pattern, flags }: FoundExpression): Promise<string | null> => {
  if (pattern === null) return "is put together when it runs, so that nobody can judge it"
  // The library reads this variable when it is loaded. It selects an engine that gives the same results on all
  // machines.
  process.env["RECHECK_SYNC_BACKEND"] = "pure"
  const { checkSync } = await import("recheck")
  const verdict = checkSync(pattern, flags, NO_TIME_LIMIT)
  if (verdict.status === "safe") return null
  return verdict.status === "vulnerable"
    ? `${verdict.complexity.summary}, as for ${verdict.attack.pattern}`
    : `could not be judged: ${verdict.error.kind}`
}

const sources = (): ReadonlyArray<string> =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--", ...FOLDERS], {
    cwd: projectRoot,
    encoding: "utf8"
  })
    .split("\n")
    .filter((file) => /\.(?:ts|mjs|js)$/.test(file) && !OWN_TEXT.some((own) => file.startsWith(own)))

const nameOf = ({ pattern, flags }: FoundExpression): string => `/${pattern ?? "…"}/${flags}`

const committed = (): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(VERDICTS, "utf8")) as Readonly<Record<string, string>>

const report = ({ file, line }: FoundExpression, name: string, problem: string): void =>
  console.error(`${file}:${line}: ${name} ${problem}`)

/** Analyzes and stores expressions that the file does not have yet. Resolves to the number of problems. */
const write = async (found: ReadonlyArray<FoundExpression>): Promise<number> => {
  const known = committed()
  const kept = new Map<string, string>()
  let bad = 0
  for (const one of found) {
    const name = nameOf(one)
    if (kept.has(name)) continue
    const problem = known[name] === LINEAR ? null : await judge(one)
    if (problem === null) kept.set(name, LINEAR)
    else report(one, name, problem)
    bad += problem === null ? 0 : 1
  }
  const sorted = Object.fromEntries([...kept].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(VERDICTS, `${JSON.stringify(sorted, null, 2)}\n`)
  return bad
}

const AGAIN = "run npm run contracts and commit the difference"

/** Compares the sources with the file. Returns the number of problems. */
const compare = (found: ReadonlyArray<FoundExpression>): number => {
  const known = committed()
  let bad = 0
  for (const one of found) {
    const name = nameOf(one)
    if (known[name] === LINEAR) continue
    bad++
    report(one, name, one.pattern === null ? "is put together at run time" : `has no verdict yet; ${AGAIN}`)
  }
  const names = new Set(found.map(nameOf))
  const stale = Object.keys(known).filter((name) => !names.has(name))
  for (const name of stale) console.error(`${name} has a verdict and is in no source; ${AGAIN}`)
  return bad + stale.length
}

const check = async (): Promise<number> => {
  const found = sources().flatMap((file) => regularExpressionsIn(file, readFileSync(join(projectRoot, file), "utf8")))
  const bad = process.argv.includes("--write") ? await write(found) : compare(found)
  console.log(`${found.length} regular expressions, ${bad} problems`)
  return bad === 0 && found.length > 0 ? 0 : 1
}

if (import.meta.main) process.exitCode = await check()
