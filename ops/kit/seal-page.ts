/**
 * The script of the page that seals entries, with libsodium, as the one file that stands in the page:
 * `edge/vault/seal-script.bundle.js`, written by `npm run contracts`.
 *
 * Invariants
 *  - It is committed, so that an edge serves it is, and its hash is that of what was looked at.
 *  - It imports nothing, and nothing in it ends the element that it stands in.
 *  - The same sources make the same file, wherever the project lies.
 */
import { join } from "node:path"
import { rolldown } from "rolldown"
import { projectRoot } from "../launcher/paths.ts"

export const SEAL_SCRIPT = "edge/vault/seal-script.bundle.js"
const ENTRY = "edge/vault/seal-script.ts"
const TARGET = "es2022"
/** Matches text that would end a script's element, or change how it is read. */
const ENDS = /<\/script|<!--|<script/i

export const sealScript = async (): Promise<string> => {
  const bundle = await rolldown({
    cwd: projectRoot,
    input: join(projectRoot, ENTRY),
    platform: "browser",
    tsconfig: false,
    // libsodium looks there for a file of its own, which it does not need.
    transform: { target: TARGET, define: { "import.meta": "{}" } }
  })
  try {
    const { output } = await bundle.generate({ format: "iife", minify: true, codeSplitting: false })
    const [{ code, imports, dynamicImports, fileName }, ...more] = output
    // Modules that are loaded on demand are part of the file as well, and are named as an import of itself.
    const others = [...imports, ...dynamicImports].filter((name) => name !== fileName)
    if (more.length + others.length > 0) throw new Error(`${ENTRY} does not become one file: ${others.join(", ")}`)
    if (ENDS.test(code)) throw new Error(`${ENTRY} holds what cannot stand in a script's element`)
    return `${code.trim()}\n`
  } finally {
    await bundle.close()
  }
}
