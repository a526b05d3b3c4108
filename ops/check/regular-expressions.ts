/**
 * Looks at every regular expression of the product: none may take longer than in proportion to the text that it is
 * given, whatever a stranger writes. Ends with status 1 where one may.
 *
 * Invariants
 *  - They are found in the syntax tree, so none is missed and nothing else is taken for one.
 *  - One that is put together when it runs cannot be judged, and is a finding. So is one that could not be judged in
 *    time.
 *  - Tools that read what this project wrote itself are left out: `OWN_TEXT`.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync } from "vite"
import { projectRoot } from "../launcher/paths.ts"

const FOLDERS = ["edge", "actors", "schemas", "ops"]
const OWN_TEXT: ReadonlyArray<string> = ["ops/kit/build.ts", "ops/contracts/write.ts", "ops/bench/"]
const JUDGED_WITHIN_MS = 60_000

export interface Found {
  readonly file: string
  readonly line: number
  /** `null` for one that is put together when it runs. */
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

export const regularExpressionsIn = (file: string, text: string): ReadonlyArray<Found> => {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  const found: Array<Found> = []
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

/** What is wrong with one, or `null`. */
export const judge = async ({ pattern, flags }: Found): Promise<string | null> => {
  if (pattern === null) return "is put together when it runs, so that nobody can judge it"
  // Chosen before it is loaded: the same engine everywhere.
  process.env["RECHECK_SYNC_BACKEND"] = "pure"
  const { checkSync } = await import("recheck")
  const verdict = checkSync(pattern, flags, { timeout: JUDGED_WITHIN_MS })
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

const check = async (): Promise<number> => {
  const found = sources().flatMap((file) => regularExpressionsIn(file, readFileSync(join(projectRoot, file), "utf8")))
  const verdicts = new Map<string, string | null>()
  let bad = 0
  for (const one of found) {
    const name = `/${one.pattern ?? "…"}/${one.flags}`
    const verdict = verdicts.has(name) ? verdicts.get(name) : await judge(one)
    verdicts.set(name, verdict ?? null)
    if (typeof verdict !== "string") continue
    bad++
    console.error(`${one.file}:${one.line}: ${name} ${verdict}`)
  }
  console.log(`${found.length} regular expressions, ${bad} of them not linear`)
  return bad === 0 && found.length > 0 ? 0 : 1
}

if (import.meta.main) process.exitCode = await check()
