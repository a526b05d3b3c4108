/**
 * Installs Debian's packages with apt, if root runs the program.
 *
 * - This works only on Debian and only for root; apt checks the archive's signature. On other systems, or for other
 *   users, one line says what to install.
 * - Only one apt can work at a time. While another one works, this waits for its lock, up to a bound.
 * - The download may be interrupted at any time. Unpacking may not, because half an installed package is worse than
 *   none: a stop waits for its end, which is bounded too.
 */
import { spawn } from "node:child_process"
import { readFile } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import { LaunchFault } from "./fault.ts"
import { patience } from "./patience.ts"

const DOWNLOAD_TIMEOUT_MS = 8 * 60_000
const UNPACK_TIMEOUT_MS = 8 * 60_000
const LOCK_WAIT_MS = 10 * 60_000
const LOCK_PAUSE_MS = 2_000
const PROGRESS_EVERY_MS = 5_000
const OUTPUT_KEPT_CHARS = 8_000

const LOCKED = /Could not get lock|Unable to (lock|acquire)|locked by another process/

export interface DebianOptions {
  readonly env: NodeJS.ProcessEnv
  readonly progress: (line: string) => void
  /** Ends the wait for a lock and a download under way. */
  readonly signal?: AbortSignal
  /** True if packages may be installed. The default is true for root. */
  readonly mayInstall?: boolean
  readonly osRelease?: string
  readonly lockPauseMs?: number
  readonly lockWaitMs?: number
}

/** The packages, and the words of the messages about them. */
export interface WantedPackages {
  readonly packages: ReadonlyArray<string>
  /** For example "Chromium". */
  readonly what: string
  /** For example "the tests of the pages". */
  readonly purpose: string
  /** The size or another remark for the line that announces the installation. */
  readonly remark: string
  /** Advice to the user if a package cannot be installed. */
  readonly hint: string
}

/** Throws a LaunchFault of one line if the packages cannot be installed. */
export async function installPackages(wanted: WantedPackages, options: DebianOptions): Promise<void> {
  await mayInstall(wanted, options)
  await install(wanted, options)
}

async function mayInstall({ what, purpose, hint }: WantedPackages, options: DebianOptions): Promise<void> {
  const release = await readFile(options.osRelease ?? "/etc/os-release", "utf8").catch(() => "")
  if (!/^ID=("?)debian\1$/m.test(release)) throw new LaunchFault(`${purpose} need ${what}; ${hint}`)
  const isRoot = options.mayInstall ?? process.getuid?.() === 0
  if (!isRoot) throw new LaunchFault(`${purpose} need ${what}, which only root can install; ${hint}`)
}

/** Fetches new package lists only if the download fails with the present ones. */
async function install(
  { packages, what, purpose, remark, hint }: WantedPackages,
  options: DebianOptions
): Promise<void> {
  const call = ["install", "-y", "--no-install-recommends"]
  const download = [...call, "--download-only", ...packages]
  const tries: ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>> = [[download], [["update"], download]]
  const noun = packages.length === 1 ? "package" : "packages"
  options.progress(`installing the Debian ${noun} ${packages.join(", ")} for ${purpose} (${remark})`)
  let problem = ""
  for (const steps of tries) {
    problem = ""
    for (const step of steps) problem ||= await unlocked(step, DOWNLOAD_TIMEOUT_MS, options, options.signal)
    if (problem === "") break
  }
  problem ||= await unlocked([...call, ...packages], UNPACK_TIMEOUT_MS, options)
  if (problem !== "") throw new LaunchFault(`${what} could not be installed (${problem}); ${hint}`)
}

/** Repeats the call while another apt holds the lock. Returns the error as one line, or "". */
async function unlocked(
  args: ReadonlyArray<string>,
  timeout: number,
  options: DebianOptions,
  signal?: AbortSignal
): Promise<string> {
  const isOver = patience(options.lockWaitMs ?? LOCK_WAIT_MS)
  for (let told = false; ; told = true) {
    if (options.signal?.aborted === true) return "interrupted"
    const output = await apt(args, timeout, options, signal)
    if (output === null) return ""
    if (!LOCKED.test(output) || isOver()) return reasonIn(output)
    if (!told) options.progress("waiting for another program that installs packages")
    await delay(options.lockPauseMs ?? LOCK_PAUSE_MS, undefined, { signal: options.signal }).catch(() => undefined)
  }
}

const reasonIn = (output: string): string => {
  const lines = output.split("\n").filter((line) => line.trim() !== "")
  return (
    lines
      .find((line) => line.startsWith("E:"))
      ?.slice(2)
      .trim() ??
    lines.at(-1)?.trim() ??
    "apt-get said nothing"
  )
}

/** Returns `null` if apt succeeded, or the end of its output. */
function apt(
  args: ReadonlyArray<string>,
  timeout: number,
  options: DebianOptions,
  signal?: AbortSignal
): Promise<string | null> {
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
    const timer = setInterval(
      () => options.progress(`apt-get: ${output.trimEnd().split("\n").at(-1) ?? ""}`),
      PROGRESS_EVERY_MS
    )
    const end = (problem: string | null): void => {
      clearInterval(timer)
      resolve(problem)
    }
    child.stdout.on("data", collect)
    child.stderr.on("data", collect)
    child.once("error", (cause) => end(`${output}\nE: apt-get does not run: ${cause.message}`))
    child.once("close", (code, killed) =>
      end(code === 0 ? null : killed === null ? output : `${output}\nE: apt-get did not end in time`)
    )
  })
}
