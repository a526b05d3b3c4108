/**
 * Programs of Debian's newest suite, unpacked into the project's `.hub/bin` and not installed. The package lists are
 * written to a private folder, apt checks the archive's signature, and the system is not changed. It works only for
 * static programs, because no libraries are unpacked. The suite changes over time, so a package is used only if it has
 * the version and checksum that fetched.json names.
 */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { access, chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { promisify } from "node:util"
import { LaunchFault, messageOf } from "./fault.ts"
import fetched from "./fetched.json" with { type: "json" }
import { sharedBinDir } from "./paths.ts"

const run = promisify(execFile)

const SUITE = "sid"
const CALL_TIMEOUT_MS = 120_000
const FETCH_TIMEOUT_MS = 180_000
const ARCHIVE_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

export interface ArchiveProgram {
  readonly package: string
  /** The path of the program in the package. */
  readonly path: ReadonlyArray<string>
  readonly hint: string
  /** True if the unpacked program is new enough and runs here. */
  readonly usable: (file: string) => Promise<boolean>
}

export interface FetchOptions {
  readonly progress: (line: string) => void
  /** Ends a download under way. */
  readonly signal?: AbortSignal
}

interface Mirror {
  readonly site: string
  readonly keyring: string | undefined
}

/** The mirrors of the Debian archive in apt's configuration, each with its keyring, if it names one. */
export async function debianMirrors(archive: "debian" | "debian-security" = "debian"): Promise<ReadonlyArray<Mirror>> {
  const settings = { timeout: CALL_TIMEOUT_MS }
  const listed = await run("apt-get", ["indextargets", "--format", "$(SITE)|$(SIGNED_BY)"], settings)
  const planned = await run("apt-get", ["update", "--print-uris"], settings).catch(() => ({ stdout: "" }))
  const known = listed.stdout.split("\n").map((row) => row.split("|"))
  const addresses = planned.stdout.split("\n").flatMap((row) => {
    const [before, address = ""] = row.split("'")
    const end = address.indexOf("/dists/")
    return before !== "" || end === -1 ? [] : [[address.slice(0, end), ""]]
  })
  const mirrors = new Map<string, Mirror>()
  for (const [site = "", keyring = ""] of [...known, ...addresses]) {
    const isOther = archive === "debian-security" || !site.startsWith("mirror+file:")
    if (isOther && !site.replace(/\/$/, "").endsWith(`/${archive}`)) continue
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
    // apt's own download user cannot enter a private folder.
    "APT::Sandbox::User=root",
    "Acquire::Languages=none",
    "Acquire::PDiffs=false",
    "Acquire::Retries=2"
  ]
  return settings.flatMap((setting) => ["-o", setting])
}

export interface Pinned {
  readonly name: string
  readonly version: string
  readonly sha256: string
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" }

export const pinnedOf = (name: string, arch: string = process.arch): Pinned | undefined =>
  fetched.packages.find((one) => one.name === name && one.architecture === ARCHITECTURES[arch])

/** Throws if the file does not have the pinned checksum. */
export async function refuseOther(file: string, pinned: Pinned): Promise<void> {
  const found = createHash("sha256")
    .update(await readFile(file))
    .digest("hex")
  if (found !== pinned.sha256)
    throw new Error(`${basename(file)} has the checksum ${found}, not the one of fetched.json`)
}

async function downloadFrom(
  { site, keyring }: Mirror,
  wanted: ArchiveProgram,
  pinned: Pinned,
  folder: string,
  signal: AbortSignal | undefined
): Promise<string> {
  await mkdir(join(folder, "lists", "partial"), { recursive: true })
  await mkdir(join(folder, "cache", "archives", "partial"), { recursive: true })
  const key =
    keyring ??
    ((await access(ARCHIVE_KEYRING).then(
      () => true,
      () => false
    ))
      ? ARCHIVE_KEYRING
      : undefined)
  const signedBy = key === undefined ? "" : `[signed-by=${key}] `
  await writeFile(join(folder, "sources.list"), `deb ${signedBy}${site} ${SUITE} main\n`)
  const settings = { cwd: folder, timeout: FETCH_TIMEOUT_MS, env: { ...process.env, LC_ALL: "C" }, signal }
  await run("apt-get", [...aptOptions(folder), "-q", "update"], settings)
  await run("apt-get", [...aptOptions(folder), "-q", "download", `${pinned.name}=${pinned.version}`], settings)
  const archive = (await readdir(folder)).find((name) => name.endsWith(".deb"))
  if (archive === undefined) throw new Error("apt-get download left no package")
  await refuseOther(join(folder, archive), pinned)
  await run("dpkg-deb", ["-x", archive, "unpacked"], settings)
  return join(folder, "unpacked", ...wanted.path)
}

/**
 * Copies the binary to the place where later starts look for it. The last step is a rename, so that no start finds half
 * a file.
 */
async function keep(binary: string): Promise<string> {
  const target = join(sharedBinDir, basename(binary))
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

/** Fetches the program and returns its path, which later starts find as well. */
export async function fetchProgram(wanted: ArchiveProgram, options: FetchOptions): Promise<string> {
  const pinned = pinnedOf(wanted.package)
  const mirrors = pinned === undefined ? [] : await debianMirrors().catch(() => [])
  if (pinned === undefined || mirrors.length === 0)
    throw new LaunchFault(`${wanted.package} is not installed; ${wanted.hint}`)
  const reasons: Array<string> = []
  await mkdir(sharedBinDir, { recursive: true })
  for (const mirror of mirrors) {
    options.progress(
      `fetching ${wanted.package} ${pinned.version} from the Debian mirror ${mirror.site} (suite ${SUITE})`
    )
    const folder = await mkdtemp(join(sharedBinDir, "fetch-"))
    try {
      const binary = await downloadFrom(mirror, wanted, pinned, folder, options.signal)
      if (!(await wanted.usable(binary)))
        throw new Error(`the fetched ${wanted.package} is too old or does not run here`)
      return await keep(binary)
    } catch (cause) {
      reasons.push(shortReason(cause))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  throw new LaunchFault(`${wanted.package} could not be fetched (${reasons.join("; ")}); ${wanted.hint}`)
}
