/**
 * Finds a Chromium for the tests of the pages, or installs Debian's.
 *
 * - Looked for: HUB_CHROMIUM, then the usual names on PATH. A program that does not tell its version as a Chromium is
 *   none: some systems have a script of that name that only says where to get it.
 * - Installed from Debian only (debian.ts); nothing is ever downloaded past the system's package manager.
 */
import { execFile } from "node:child_process"
import { access, constants } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { type DebianOptions, installPackages, type Wanted } from "./debian.ts"
import { LaunchFault } from "./fault.ts"

const run = promisify(execFile)

const NAMES = ["chromium", "chromium-browser", "google-chrome"] as const
const PACKAGE = "chromium"
const VERSION_TIMEOUT_MS = 20_000

const HINT = `install Chromium (on Debian, as root: apt-get install ${PACKAGE}) or set HUB_CHROMIUM to its program`

const WANTED: Wanted = {
  packages: [PACKAGE],
  what: "Chromium",
  purpose: "the tests of the pages",
  remark: "about 100 MB, once",
  hint: HINT
}

async function isChromium(program: string): Promise<boolean> {
  const runs = await access(program, constants.X_OK).then(
    () => true,
    () => false
  )
  if (!runs) return false
  const answer = await run(program, ["--version"], { timeout: VERSION_TIMEOUT_MS }).catch(() => undefined)
  return answer !== undefined && /\bChrom(?:e|ium)\b/.test(answer.stdout) && /\d\.\d/.test(answer.stdout)
}

async function onPath(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "")
  for (const name of NAMES) {
    for (const folder of folders) if (await isChromium(join(folder, name))) return join(folder, name)
  }
  return undefined
}

export async function findChromium(options: DebianOptions): Promise<string> {
  const named = options.env["HUB_CHROMIUM"]
  if (named) {
    if (await isChromium(named)) return named
    throw new LaunchFault(`HUB_CHROMIUM names ${named}, which does not run as Chromium`)
  }
  const found = await onPath(options.env)
  if (found !== undefined) return found
  await installPackages(WANTED, options)
  const installed = await onPath(options.env)
  if (installed === undefined) throw new LaunchFault(`the package ${PACKAGE} was installed but does not run; ${HINT}`)
  return installed
}
