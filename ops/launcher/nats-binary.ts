/**
 * Finds a nats-server that is new enough, or fetches one.
 *
 * Looked for in this order: HUB_NATS_SERVER, PATH, <data>/bin, the checkout's own .hub/bin. On Debian it is fetched
 * from the mirror that apt is configured with: the package lists go to a private folder, apt checks the archive's
 * signature, and the package is unpacked without being installed, so nothing of the system changes. Elsewhere the
 * operator names a binary; an unverified download is never run.
 */
import { execFile } from "node:child_process"
import { access, chmod, constants, copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { LaunchFault, messageOf } from "./fault.ts"
import { sharedBinDir } from "./paths.ts"

const run = promisify(execFile)

const MINIMUM = [2, 12] as const
const SUITE = "sid"
const VERSION_TIMEOUT_MS = 10_000
const FETCH_TIMEOUT_MS = 180_000
const ARCHIVE_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

const hint =
  `set HUB_NATS_SERVER to a nats-server binary of version ${MINIMUM.join(".")} or newer (github.com/nats-io/nats-server/releases)`

export interface NatsBinaryOptions {
  readonly env: NodeJS.ProcessEnv
  readonly dataDir: string
  readonly progress: (line: string) => void
  /** Ends a download under way. */
  readonly signal?: AbortSignal
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(() => true, () => false)
}

/** The version text, or undefined where the file is no nats-server that runs here. */
async function versionOf(binary: string): Promise<string | undefined> {
  const answer = await run(binary, ["--version"], { timeout: VERSION_TIMEOUT_MS }).catch(() => undefined)
  return answer === undefined ? undefined : /v(\d+\.\d+\.\d+\S*)/.exec(answer.stdout)?.[1]
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1])
}

async function usable(binary: string): Promise<boolean> {
  if (!(await isExecutable(binary))) return false
  const version = await versionOf(binary)
  return version !== undefined && isNewEnough(version)
}

async function named(binary: string): Promise<string> {
  const version = await versionOf(binary)
  if (version === undefined) throw new LaunchFault(`HUB_NATS_SERVER names ${binary}, which does not run as nats-server`)
  if (!isNewEnough(version)) {
    throw new LaunchFault(`HUB_NATS_SERVER names nats-server ${version}; ${MINIMUM.join(".")} or newer is needed`)
  }
  return binary
}

export async function findNatsServer(options: NatsBinaryOptions): Promise<string> {
  const wanted = options.env["HUB_NATS_SERVER"]
  if (wanted) return named(wanted)
  const onPath = (options.env["PATH"] ?? "").split(delimiter).filter((directory) => directory !== "")
  const directories = [...onPath, join(options.dataDir, "bin"), sharedBinDir]
  for (const directory of directories) {
    const candidate = join(directory, "nats-server")
    if (await usable(candidate)) return candidate
  }
  return fetchFromDebian(options)
}

interface Mirror {
  readonly site: string
  readonly keyring: string | undefined
}

/**
 * The mirrors of the Debian archive in apt's configuration, each with the keyring it names, if any. apt lists its
 * index files only where it has fetched them once; on a machine where it never did, the addresses it would fetch tell.
 */
async function debianMirrors(): Promise<ReadonlyArray<Mirror>> {
  const settings = { timeout: VERSION_TIMEOUT_MS }
  const listed = await run("apt-get", ["indextargets", "--format", "$(SITE)|$(SIGNED_BY)"], settings)
  const planned = await run("apt-get", ["update", "--print-uris"], settings).catch(() => ({ stdout: "" }))
  const known = listed.stdout.split("\n").map((row) => row.split("|"))
  const addresses = [...planned.stdout.matchAll(/^'(\S+?)\/dists\/\S*'/gm)].map((match) => [match[1], ""])
  const mirrors = new Map<string, Mirror>()
  for (const [site = "", keyring = ""] of [...known, ...addresses]) {
    if (!/\/debian\/?$/.test(site) && !site.startsWith("mirror+file:")) continue
    const address = site.replace(/\/$/, "")
    if (!mirrors.has(address)) mirrors.set(address, { site, keyring: keyring.startsWith("/") ? keyring : undefined })
  }
  return [...mirrors.values()]
}

function aptOptions(folder: string): ReadonlyArray<string> {
  const settings = [
    `Dir::Etc::sourcelist=${join(folder, "sources.list")}`,
    "Dir::Etc::sourceparts=/dev/null",
    "Dir::Etc::preferences=/dev/null",
    "Dir::Etc::preferencesparts=/dev/null",
    `Dir::State::lists=${join(folder, "lists")}`,
    `Dir::Cache=${join(folder, "cache")}`,
    // apt's own download user could not enter a folder that only we may enter.
    "APT::Sandbox::User=root",
    "Acquire::Languages=none",
    "Acquire::PDiffs=false",
    "Acquire::Retries=2"
  ]
  return settings.flatMap((setting) => ["-o", setting])
}

async function downloadFrom(
  { site, keyring }: Mirror, folder: string, signal: AbortSignal | undefined
): Promise<string> {
  await mkdir(join(folder, "lists", "partial"), { recursive: true })
  await mkdir(join(folder, "cache", "archives", "partial"), { recursive: true })
  const key = keyring ?? ((await access(ARCHIVE_KEYRING).then(() => true, () => false)) ? ARCHIVE_KEYRING : undefined)
  const signedBy = key === undefined ? "" : `[signed-by=${key}] `
  await writeFile(join(folder, "sources.list"), `deb ${signedBy}${site} ${SUITE} main\n`)
  const settings = { cwd: folder, timeout: FETCH_TIMEOUT_MS, env: { ...process.env, LC_ALL: "C" }, signal }
  await run("apt-get", [...aptOptions(folder), "-q", "update"], settings)
  await run("apt-get", [...aptOptions(folder), "-q", "download", "nats-server"], settings)
  const archive = (await readdir(folder)).find((name) => name.endsWith(".deb"))
  if (archive === undefined) throw new Error("apt-get download left no package")
  await run("dpkg-deb", ["-x", archive, "unpacked"], settings)
  return join(folder, "unpacked", "usr", "sbin", "nats-server")
}

/** Puts the binary where later starts find it; renamed into place so that no start sees half a file. */
async function keep(binary: string, directory: string): Promise<string> {
  await mkdir(directory, { recursive: true })
  const target = join(directory, "nats-server")
  const arriving = `${target}.${process.pid}`
  await copyFile(binary, arriving)
  await chmod(arriving, 0o755)
  await rename(arriving, target)
  return target
}

function shortReason(cause: unknown): string {
  const stderr = typeof cause === "object" && cause !== null && "stderr" in cause ? String(cause.stderr) : ""
  const line = stderr.split("\n").find((text) => text.startsWith("E:")) ?? messageOf(cause).split("\n")[0]
  return line ?? "unknown"
}

async function fetchFromDebian(options: NatsBinaryOptions): Promise<string> {
  const mirrors = await debianMirrors().catch(() => [])
  if (mirrors.length === 0) throw new LaunchFault(`nats-server is not installed; ${hint}`)
  const reasons: Array<string> = []
  await mkdir(sharedBinDir, { recursive: true })
  for (const mirror of mirrors) {
    options.progress(`fetching nats-server from the Debian mirror ${mirror.site} (suite ${SUITE})`)
    const folder = await mkdtemp(join(sharedBinDir, "fetch-"))
    try {
      const binary = await downloadFrom(mirror, folder, options.signal)
      if (!(await usable(binary))) throw new Error("the fetched nats-server is too old or does not run here")
      return await keep(binary, sharedBinDir)
    } catch (cause) {
      reasons.push(shortReason(cause))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  throw new LaunchFault(`nats-server could not be fetched (${reasons.join("; ")}); ${hint}`)
}
