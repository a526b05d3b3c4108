/**
 * Adds our accept rules to Docker's chain DOCKER-USER. A Docker engine with the firewall enabled drops forwarded
 * packets that are not its own, even if other rules have accepted them. DOCKER-USER is the one chain that it leaves to
 * others, so packets that our rules accept are accepted there.
 *
 * The chain may be missing: there is no engine, or it does not manage the firewall. An engine that starts later creates
 * the chain, and the check then finds our rules missing.
 */
import { hasProgram, run, runAny } from "./programs.ts"
import type { Names } from "./tag.ts"

const CHAIN = "DOCKER-USER"
/** Waits, because another program may hold the lock of xtables. */
const WAIT = ["-w", "5"]

/** In a device's name, `+` is iptables' wildcard. */
const rulesOf = ({ tag }: Names): ReadonlyArray<ReadonlyArray<string>> => [
  ["-i", `hb${tag}c+`, "-j", "ACCEPT"],
  ["-o", `hb${tag}c+`, "-m", "conntrack", "--ctstate", "RELATED,ESTABLISHED", "-j", "ACCEPT"]
]

const has = async (...args: ReadonlyArray<string>): Promise<boolean> =>
  (await runAny("iptables", [...WAIT, ...args])).code === 0

async function hasDockerUser(): Promise<boolean> {
  return (await hasProgram("iptables")) && (await has("-n", "-L", CHAIN))
}

/** Returns our rules that are missing; none if there is no such chain. */
async function missing(names: Names): Promise<ReadonlyArray<ReadonlyArray<string>>> {
  if (!(await hasDockerUser())) return []
  const found = await Promise.all(rulesOf(names).map((rule) => has("-C", CHAIN, ...rule)))
  return rulesOf(names).filter((_, index) => found[index] === false)
}

export async function ensureDockerUser(names: Names): Promise<void> {
  for (const rule of await missing(names)) await run("iptables", [...WAIT, "-I", CHAIN, "1", ...rule])
}

export async function checkDockerUser(names: Names): Promise<ReadonlyArray<string>> {
  const lacking = await missing(names)
  return lacking.length === 0 ? [] : [`${CHAIN} does not accept compartments' packets`]
}

export async function countDockerUser(names: Names): Promise<number> {
  return (await hasDockerUser()) ? rulesOf(names).length - (await missing(names)).length : 0
}

export async function removeDockerUser(names: Names): Promise<void> {
  if (!(await hasDockerUser())) return
  for (const rule of rulesOf(names)) while (await has("-D", CHAIN, ...rule)) continue
}
