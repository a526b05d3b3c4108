/**
 * Bundles the verifier to the one file that websites copy: `edge/sdk/verify.bundle.js`. `node ops/kit/bundle.ts` writes
 * it; with `--check` it only compares. `npm run contracts` does the same together with the other generated files.
 *
 * Invariants
 *  - The file is committed, so that an edge can serve it without development packages.
 *  - The file imports nothing. If an import is left, the build fails.
 *  - The same sources make the same file, in any folder.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { projectRoot } from "../launcher/paths.ts"

export const BUNDLE = "edge/sdk/verify.bundle.js"
const ENTRY = "edge/sdk/verify.ts"
/** The language level that the runtimes named in edge/docs/verify.md share. */
const TARGET = "es2022"

const HEAD = `/*!
 * The website verifier: judges which agent sent a request, without asking the hub for each one. It imports nothing and
 * runs as it is in Node, Deno, Workers and browsers; copy it beside your code. How to use it: /docs/verify of the hub.
 *
 * Generated from ${ENTRY} by \`npm run contracts\`: change that one, not this.
 */`

export const bundled = async (): Promise<string> => {
  const bundle = await rolldown({
    cwd: projectRoot,
    input: join(projectRoot, ENTRY),
    platform: "neutral",
    tsconfig: false,
    transform: { target: TARGET },
    // Constants keep their names in the bundle, because people read it.
    optimization: { inlineConst: false },
    external: (name) => !/^[./]/.test(name)
  })
  try {
    const { output } = await bundle.generate({ format: "es", banner: HEAD, comments: true, minify: false })
    const [chunk, ...more] = output
    const imported = [...chunk.imports, ...chunk.dynamicImports]
    if (more.length > 0 || imported.length > 0)
      throw new Error(`the verifier is not one file that imports nothing: ${imported.join(", ")}`)
    return `${chunk.code.trimEnd()}\n`
  } finally {
    await bundle.close()
  }
}

if (import.meta.main) {
  const [path, wanted] = [join(projectRoot, BUNDLE), await bundled()]
  if (!process.argv.includes("--check")) writeFileSync(path, wanted)
  else if (readFileSync(path, "utf8") !== wanted) {
    process.stderr.write(`${BUNDLE} is not what the code says; run npm run contracts and commit the difference\n`)
    process.exitCode = 1
  }
}
