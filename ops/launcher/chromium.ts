/**
 * Finds a Chromium for the tests of the pages, or installs Debian's.
 *
 * - Tests of pages use the headless shell: the same engine without windows, for two thirds of the processor time. They
 *   use a whole Chromium if the shell cannot be installed. Tests of the fill service always do, as agents have one.
 * - HUB_CHROMIUM is used if it is set, else the usual names on PATH. A program is used only if it prints a version of
 *   Chromium: some systems have a script of that name that only says how to install it.
 * - It is installed only from Debian's packages (debian.ts).
 */
import { execFile } from "node:child_process"
import { access, constants } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { type DebianOptions, installPackages, type WantedPackages } from "./debian.ts"
import { LaunchFault } from "./fault.ts"

const run = promisify(execFile)

const VERSION_TIMEOUT_MS = 20_000

interface Edition {
  readonly names: ReadonlyArray<string>
  readonly package: string
  readonly remark: string
}

const WHOLE: Edition = {
  names: ["chromium", "chromium-browser", "google-chrome"],
  package: "chromium",
  remark: "about 100 MB, once"
}
const HEADLESS: Edition = {
  names: ["chromium-headless-shell"],
  package: "chromium-headless-shell",
  remark: "about 60 MB, once"
}

const hintOf = (edition: Edition): string =>
  `install Chromium (on Debian, as root: apt-get install ${edition.package}) or set HUB_CHROMIUM to its program`

const wantedOf = (edition: Edition): WantedPackages => ({
  packages: [edition.package],
  what: "Chromium",
  purpose: "the tests of the pages",
  remark: edition.remark,
  hint: hintOf(edition)
})

async function isChromium(program: string): Promise<boolean> {
  const runs = await access(program, constants.X_OK).then(
    () => true,
    () => false
  )
  if (!runs) return false
  const answer = await run(program, ["--version"], { timeout: VERSION_TIMEOUT_MS }).catch(() => undefined)
  return answer !== undefined && /\bChrom(?:e|ium)\b/.test(answer.stdout) && /\d\.\d/.test(answer.stdout)
}

async function onPath({ names }: Edition, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "")
  for (const name of names) {
    for (const folder of folders) if (await isChromium(join(folder, name))) return join(folder, name)
  }
  return undefined
}

async function find(edition: Edition, options: DebianOptions): Promise<string> {
  const named = options.env["HUB_CHROMIUM"]
  if (named) {
    if (await isChromium(named)) return named
    throw new LaunchFault(`HUB_CHROMIUM names ${named}, which does not run as Chromium`)
  }
  const found = await onPath(edition, options.env)
  if (found !== undefined) return found
  await installPackages(wantedOf(edition), options)
  const installed = await onPath(edition, options.env)
  if (installed === undefined)
    throw new LaunchFault(`the package ${edition.package} was installed but does not run; ${hintOf(edition)}`)
  return installed
}

export const findChromium = (options: DebianOptions): Promise<string> => find(WHOLE, options)

/** Finds the headless shell for tests of pages, or a whole Chromium if the shell cannot be installed. */
export const findHeadlessChromium = (options: DebianOptions): Promise<string> =>
  find(HEADLESS, options).catch((fault: unknown) => {
    if (!(fault instanceof LaunchFault) || options.signal?.aborted) throw fault
    return find(WHOLE, options)
  })
