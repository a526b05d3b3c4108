/**
 * Computes a hash of the code of each kind's fold: `evolve`, the initial state, and the project's code that they use,
 * without types and comments. A snapshot is read only by releases with the same hash, because other code could fold the
 * same events to another state.
 */
import { createHash } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type Plugin, rolldown } from "rolldown"
import { KINDS } from "../../actors/process/kinds.ts"
import { projectRoot } from "../launcher/paths.ts"

/** The file that `npm run contracts` writes. */
export const FOLDS = "actors/engine/folds.ts"

const FOLD = /^(?:export )?const (\w+): Fold</
const KIND = /\bkind: "(\w+)"/
const CALL = /^\s*[\w.]+\(/
const HASH_CHARS = 16

interface Declared {
  readonly file: string
  readonly name: string
  readonly kind: string
}

const declaredIn = (file: string): ReadonlyArray<Declared> => {
  const lines = readFileSync(join(projectRoot, file), "utf8").split("\n")
  return lines.flatMap((line, index) => {
    const name = FOLD.exec(line)?.[1]
    const kind = KIND.exec(lines.slice(index, index + 2).join("\n"))?.[1]
    return name === undefined || kind === undefined ? [] : [{ file, name, kind }]
  })
}

/** Marks calls that initialize constants as pure, so that unused ones are left out. */
const pure = (line: string): string => {
  const at = line.startsWith("const ") || line.startsWith("export const ") ? line.indexOf(" = ") + 3 : 2
  return at > 2 && CALL.test(line.slice(at)) ? `${line.slice(0, at)}/* @__PURE__ */ ${line.slice(at)}` : line
}

const ENTRY = "fold"

/** An entry module that exports only the fold. Other code in the same file is unused, so the bundler leaves it out. */
const alone = ({ file, name }: Declared): Plugin => ({
  name: "fold",
  resolveId: (source) => (source === ENTRY ? ENTRY : null),
  load: (id) => (id === ENTRY ? `export { ${name} as fold } from ${JSON.stringify(join(projectRoot, file))}` : null),
  transform: (code, id) => {
    const lines = code.split("\n").map(pure)
    if (id === join(projectRoot, file) && !lines.some((line) => line.startsWith(`export const ${name}:`)))
      lines.push(`export { ${name} }`)
    return lines.join("\n")
  }
})

/** The bundled code of a kind's fold, from which the hash is made. */
export const foldCode = async (kind: string): Promise<string> => {
  const declared = foldsDeclared().find((one) => one.kind === kind)
  if (declared === undefined) throw new Error(`no fold is declared for ${kind}`)
  return codeOf(declared)
}

const foldsDeclared = () => globSync("actors/**/*.ts", { cwd: projectRoot }).flatMap(declaredIn)

const codeOf = async (declared: Declared): Promise<string> => {
  const bundle = await rolldown({
    cwd: projectRoot,
    input: ENTRY,
    platform: "node",
    tsconfig: false,
    // The generated file is left out, so that its new content does not depend on the old.
    external: (id) => id.endsWith("/folds.ts") || !(id.startsWith(".") || id.startsWith("/") || id === ENTRY),
    treeshake: { moduleSideEffects: false },
    plugins: [alone(declared)]
  })
  const { output } = await bundle.generate({ format: "es", comments: false, minify: false })
  await bundle.close()
  return output.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("\n")
}

export const foldsText = async (): Promise<string> => {
  const declared = foldsDeclared()
  const lines: Array<string> = []
  for (const one of declared.toSorted((a, b) => (a.kind < b.kind ? -1 : 1))) {
    const hash = createHash("sha256")
      .update(await codeOf(one))
      .digest("hex")
      .slice(0, HASH_CHARS)
    lines.push(`  ${one.kind}: "${hash}"`)
  }
  const missing = KINDS.filter(({ fold }) => declared.every(({ kind }) => kind !== fold.kind))
  if (missing.length > 0) throw new Error(`no fold is declared for ${missing.map(({ fold }) => fold.kind).join(", ")}`)
  return `/** Written by \`npm run contracts\`: the code of each kind's fold (ops/contracts/folds.ts). */\nexport const FOLDS: Readonly<Record<string, string>> = {\n${lines.join(",\n")}\n}\n`
}
