/**
 * Finds a Chromium for the tests of the pages, or installs Debian's.
 *
 * - Looked for: HUB_CHROMIUM, then the usual names on PATH. A program that does not tell its version as a Chromium is
 *   none: some systems have a script of that name that only says where to get it.
 * - Installed only by root and only on Debian, where apt checks the archive's signature. Whoever is neither is told in
 *   one line what to do; nothing is ever downloaded past the system's package manager.
 * - apt serves one at a time. While another apt works, its lock is waited for, up to a bound.
 * - The download may be broken off at any time. The unpacking after it may not, since half an installed package is
 *   worse than none: whoever stops us meanwhile waits for its end, which is bounded too.
 */
import { spawn, execFile } from "node:child_process"
import { access, constants, readFile } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"
import { LaunchFault } from "./fault.ts"

const run = promisify(execFile)

const NAMES = ["chromium", "chromium-browser", "google-chrome"] as const
const PACKAGE = "chromium"
const VERSION_TIMEOUT_MS = 20_000
const DOWNLOAD_TIMEOUT_MS = 8 * 60_000
const UNPACK_TIMEOUT_MS = 8 * 60_000
const LOCK_WAIT_MS = 10 * 60_000
const LOCK_PAUSE_MS = 2_000
const PROGRESS_EVERY_MS = 5_000
const OUTPUT_KEPT_CHARS = 8_000

const HINT = `install Chromium (on Debian, as root: apt-get install ${PACKAGE}) or set HUB_CHROMIUM to its program`
const LOCKED = /Could not get lock|Unable to (lock|acquire)|locked by another process/

export interface ChromiumOptions {
  readonly env: NodeJS.ProcessEnv
  readonly progress: (line: string) => void
  /** Ends the wait for a lock and a download under way. */
  readonly signal?: AbortSignal
  /** Whether packages may be installed; by default, whether we are root. */
  readonly mayInstall?: boolean
  readonly osRelease?: string
  readonly lockPauseMs?: number
  readonly lockWaitMs?: number
}

async function isChromium(program: string): Promise<boolean> {
  const runs = await access(program, constants.X_OK).then(() => true, () => false)
  if (!runs) return false
  const answer = await run(program, ["--version"], { timeout: VERSION_TIMEOUT_MS }).catch(() => undefined)
  return answer !== undefined && /\bChrom(e|ium)\b.*\d+\.\d+/.test(answer.stdout)
}

async function onPath(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "")
  for (const name of NAMES) {
    for (const folder of folders) if (await isChromium(join(folder, name))) return join(folder, name)
  }
  return undefined
}

export async function findChromium(options: ChromiumOptions): Promise<string> {
  const named = options.env["HUB_CHROMIUM"]
  if (named) {
    if (await isChromium(named)) return named
    throw new LaunchFault(`HUB_CHROMIUM names ${named}, which does not run as Chromium`)
  }
  const found = await onPath(options.env)
  if (found !== undefined) return found
  await mayInstall(options)
  await install(options)
  const installed = await onPath(options.env)
  if (installed === undefined) throw new LaunchFault(`the package ${PACKAGE} was installed but does not run; ${HINT}`)
  return installed
}

async function mayInstall(options: ChromiumOptions): Promise<void> {
  const release = await readFile(options.osRelease ?? "/etc/os-release", "utf8").catch(() => "")
  if (!/^ID=("?)debian\1$/m.test(release)) throw new LaunchFault(`the tests of the pages need Chromium; ${HINT}`)
  const isRoot = options.mayInstall ?? process.getuid?.() === 0
  if (!isRoot) throw new LaunchFault(`the tests of the pages need Chromium, which only root can install; ${HINT}`)
}

/** The lists may be missing or older than the archive: they are fetched only where it does not go without. */
async function install(options: ChromiumOptions): Promise<void> {
  const packages = ["install", "-y", "--no-install-recommends"]
  const download = [...packages, "--download-only", PACKAGE]
  const tries: ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>> = [[download], [["update"], download]]
  options.progress(`installing the Debian package ${PACKAGE} for the tests of the pages (about 100 MB, once)`)
  let problem = ""
  for (const steps of tries) {
    problem = ""
    for (const step of steps) problem ||= await unlocked(step, DOWNLOAD_TIMEOUT_MS, options, options.signal)
    if (problem === "") break
  }
  problem ||= await unlocked([...packages, PACKAGE], UNPACK_TIMEOUT_MS, options)
  if (problem !== "") throw new LaunchFault(`Chromium could not be installed (${problem}); ${HINT}`)
}

/** The error in a line, or "". */
async function unlocked(args: ReadonlyArray<string>, timeout: number, options: ChromiumOptions, signal?: AbortSignal): Promise<string> {
  const until = Date.now() + (options.lockWaitMs ?? LOCK_WAIT_MS)
  for (let told = false; ; told = true) {
    if (options.signal?.aborted === true) return "interrupted"
    const output = await apt(args, timeout, options, signal)
    if (output === null) return ""
    if (!LOCKED.test(output) || Date.now() >= until) return reasonIn(output)
    if (!told) options.progress("waiting for another program that installs packages")
    await delay(options.lockPauseMs ?? LOCK_PAUSE_MS, undefined, { signal: options.signal }).catch(() => undefined)
  }
}

const reasonIn = (output: string): string => {
  const lines = output.split("\n").filter((line) => line.trim() !== "")
  return lines.find((line) => line.startsWith("E:"))?.slice(2).trim() ?? lines.at(-1)?.trim() ?? "apt-get said nothing"
}

/** `null` when it went well, else the end of what apt wrote. */
function apt(args: ReadonlyArray<string>, timeout: number, options: ChromiumOptions, signal?: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    let output = ""
    const child = spawn("apt-get", ["-q", ...args], {
      env: { ...options.env, LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive" },
      stdio: ["ignore", "pipe", "pipe"],
      timeout,
      ...(signal === undefined ? {} : { signal })
    })
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString("utf8")).slice(-OUTPUT_KEPT_CHARS)
    }
    const timer = setInterval(() => options.progress(`apt-get: ${output.trimEnd().split("\n").at(-1) ?? ""}`), PROGRESS_EVERY_MS)
    const end = (problem: string | null): void => {
      clearInterval(timer)
      resolve(problem)
    }
    child.stdout.on("data", collect)
    child.stderr.on("data", collect)
    child.once("error", (cause) => end(`${output}\nE: apt-get does not run: ${cause.message}`))
    child.once("close", (code, killed) => end(code === 0 ? null : killed === null ? output : `${output}\nE: apt-get did not end in time`))
  })
}
