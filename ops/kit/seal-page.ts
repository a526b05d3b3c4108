/**
 * Bundles the script of the page that seals entries, with libsodium, to one file that is inserted into the page:
 * `edge/vault/seal-script.bundle.js`, written by `npm run contracts`.
 *
 * Invariants
 *  - The file is committed, so that an edge can serve it, and reviewers can check its hash.
 *  - The file imports nothing, and contains no text that would end its script element.
 *  - The same sources make the same file, in any folder.
 */
import { join } from "node:path"
import { rolldown } from "rolldown"
import { projectRoot } from "../launcher/paths.ts"

export const SEAL_SCRIPT = "edge/vault/seal-script.bundle.js"
const ENTRY = "edge/vault/seal-script.ts"
const TARGET = "es2022"
/** Matches text that would end a script element, or change how it is parsed. */
const ENDS = /<\/script|<!--|<script/i

export const sealScript = async (): Promise<string> => {
  const bundle = await rolldown({
    cwd: projectRoot,
    input: join(projectRoot, ENTRY),
    platform: "browser",
    tsconfig: false,
    // libsodium uses `import.meta` to look for its own file, which it does not need.
    transform: { target: TARGET, define: { "import.meta": "{}" } }
  })
  try {
    const { output } = await bundle.generate({ format: "iife", minify: true, codeSplitting: false })
    const [{ code, imports, dynamicImports, fileName }, ...more] = output
    // Modules that are loaded on demand are part of the file as well. Their import names the file itself.
    const others = [...imports, ...dynamicImports].filter((name) => name !== fileName)
    if (more.length + others.length > 0) throw new Error(`${ENTRY} does not become one file: ${others.join(", ")}`)
    if (ENDS.test(code)) throw new Error(`${ENTRY} holds what cannot stand in a script's element`)
    return `${code.trim()}\n`
  } finally {
    await bundle.close()
  }
}
