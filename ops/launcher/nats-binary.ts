/**
 * Finds a nats-server that is new enough, or fetches one.
 *
 * HUB_NATS_SERVER is used if it is set. Otherwise these places are tried in order: PATH, <data>/bin, the checkout's own
 * .hub/bin. On Debian it is fetched from the mirror that apt is configured with (debian-archive.ts). On other systems
 * the operator must name a binary, because an unverified download is never run.
 */
import { execFile } from "node:child_process"
import { access, constants } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { fetchProgram, type FetchOptions } from "./debian-archive.ts"
import { LaunchFault } from "./fault.ts"
import { sharedBinDir } from "./paths.ts"

const run = promisify(execFile)

const MINIMUM = [2, 12] as const
const VERSION_TIMEOUT_MS = 10_000

const hint =
  `set HUB_NATS_SERVER to a nats-server binary of version ${MINIMUM.join(".")} or newer ` +
  "(github.com/nats-io/nats-server/releases)"

export interface NatsBinaryOptions extends FetchOptions {
  readonly env: NodeJS.ProcessEnv
  readonly dataDir: string
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false
  )
}

/** The version text, or undefined if the file is not a nats-server that runs on this machine. */
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
  return fetchProgram({ package: "nats-server", path: ["usr", "sbin", "nats-server"], hint, usable }, options)
}
