/**
 * Installs missing Debian packages that a host of compartments needs. Only root on Debian can install them. In other
 * cases a LaunchFault of one line names them.
 */
import { type DebianOptions, installPackages } from "../launcher/debian.ts"
import { findProgram } from "../launcher/docker.ts"
import { LaunchFault } from "../launcher/fault.ts"

export const PROGRAMS: ReadonlyArray<readonly [program: string, from: string]> = [
  ["dockerd", "docker.io"],
  ["containerd", "containerd"],
  ["iptables", "iptables"],
  ["nft", "nftables"],
  ["ip", "iproute2"],
  ["tc", "iproute2"],
  ["dnsmasq", "dnsmasq-base"],
  ["mmdebstrap", "mmdebstrap"],
  ["mkfs.ext4", "e2fsprogs"],
  ["flock", "util-linux"],
  ["mount", "mount"],
  ["tar", "tar"]
]

const PURPOSE = "compartments"

export const missingPackages = async (env: NodeJS.ProcessEnv): Promise<ReadonlyArray<string>> => {
  const missing = new Set<string>()
  for (const [program, from] of PROGRAMS) if ((await findProgram(program, env)) === undefined) missing.add(from)
  return [...missing]
}

export const requireRoot = (uid = process.getuid?.()): void => {
  if (uid !== 0) throw new LaunchFault("compartments need root on their host: start the runtime as root")
}

/** Throws a LaunchFault of one line if the programs cannot be installed. */
export const ensurePrograms = async (options: DebianOptions): Promise<void> => {
  const packages = await missingPackages(options.env)
  if (packages.length === 0) return
  const hint = `install them (on Debian, as root: apt-get install ${packages.join(" ")})`
  const what = `programs that are not here (of ${packages.join(", ")})`
  await installPackages({ packages, what, purpose: PURPOSE, remark: "some 100 MB at most, once", hint }, options)
}

/** The path of a program. Throws a LaunchFault if it is not installed. */
export const programAt = async (program: string, env: NodeJS.ProcessEnv): Promise<string> => {
  const found = await findProgram(program, env)
  const from = PROGRAMS.find(([name]) => name === program)?.[1] ?? program
  if (found === undefined) throw new LaunchFault(`${PURPOSE} need ${program}, of Debian's package ${from}`)
  return found
}
