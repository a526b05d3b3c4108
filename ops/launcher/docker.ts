/**
 * Finds the programs for the test of a whole cluster in containers: Docker's engine, compose, and debootstrap. Missing
 * ones are installed (debian.ts) or, for compose, fetched (debian-archive.ts). An engine that runs already is not used:
 * the tests start one of their own.
 */
import { execFile } from "node:child_process"
import { access, constants } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { type DebianOptions, installPackages } from "./debian.ts"
import { fetchProgram } from "./debian-archive.ts"
import { sharedBinDir } from "./paths.ts"

const run = promisify(execFile)

const VERSION_TIMEOUT_MS = 20_000
const COMPOSE_MAJOR = 2
const PROGRAMS: ReadonlyArray<readonly [program: string, from: string]> = [
  ["docker", "docker.io"],
  ["dockerd", "docker.io"],
  ["iptables", "iptables"],
  ["debootstrap", "debootstrap"]
]
/** The folders of system programs, which are not on every user's PATH. */
const SYSTEM_FOLDERS = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"]

export interface DockerTools {
  readonly docker: string
  readonly dockerd: string
  readonly debootstrap: string
  /** The folder with the plugin `docker-compose`. */
  readonly plugins: string
}

export async function findProgram(program: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const folders = [...(env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== ""), ...SYSTEM_FOLDERS]
  for (const folder of folders) {
    const file = join(folder, program)
    if (
      await access(file, constants.X_OK).then(
        () => true,
        () => false
      )
    )
      return file
  }
  return undefined
}

async function isCompose(file: string): Promise<boolean> {
  const answer = await run(file, ["version", "--short"], { timeout: VERSION_TIMEOUT_MS }).catch(() => undefined)
  return Number(answer?.stdout.replace(/^v/, "").split(".")[0] ?? 0) >= COMPOSE_MAJOR
}

async function installMissing(options: DebianOptions): Promise<void> {
  const missing = new Set<string>()
  for (const [program, from] of PROGRAMS) if ((await findProgram(program, options.env)) === undefined) missing.add(from)
  if (missing.size === 0) return
  const packages = [...missing]
  const hint = `install them (on Debian, as root: apt-get install ${packages.join(" ")})`
  await installPackages(
    { packages, what: "Docker's engine", purpose: "the tests of a cluster", remark: "about 80 MB, once", hint },
    options
  )
}

async function findCompose(options: DebianOptions): Promise<void> {
  if (await isCompose(join(sharedBinDir, "docker-compose"))) return
  const path = ["usr", "libexec", "docker", "cli-plugins", "docker-compose"]
  const hint = `put compose ${COMPOSE_MAJOR} or newer, as docker-compose, into ${sharedBinDir}`
  await fetchProgram({ package: "docker-compose", path, hint, usable: isCompose }, options)
}

/** Throws a LaunchFault of one line if the programs cannot be found or installed. */
export async function findDocker(options: DebianOptions): Promise<DockerTools> {
  await installMissing(options)
  await findCompose(options)
  const [docker = "", dockerd = "", debootstrap = ""] = await Promise.all(
    ["docker", "dockerd", "debootstrap"].map((program) => findProgram(program, options.env))
  )
  return { docker, dockerd, debootstrap, plugins: sharedBinDir }
}
