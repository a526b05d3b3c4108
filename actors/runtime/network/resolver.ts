/**
 * The name server of compartments: dnsmasq, detached, so that names resolve while our process is away.
 *
 * Invariants
 *  - Answers of other name servers never lead to a private address (`stop-dns-rebind`) or an IPv6 address.
 *    `probe.hub.internal` has a fixed address, and so has `hub.internal` if there is a forward.
 *  - It does not use the host's names: neither /etc/hosts nor leases nor the host's own name.
 *  - It runs as a user without rights, listens only on our own address, and logs nothing, because a log would show the
 *    queries of compartments.
 *  - A running process is kept only if its command line is exactly the one that we would start. Otherwise it is
 *    replaced. A process id alone proves nothing.
 */
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { NetworkFault, run } from "./programs.ts"
import { RESOLVER_PORT } from "./rules.ts"

/** The service's name within compartments, and a name below it that always exists. */
const SERVICE_NAME = "hub.internal"
export const PROBE_NAME = "probe.hub.internal"

const CACHE_ENTRIES = 2000
const CACHE_TTL_MAX_SECONDS = 3600
/** Questions that wait for an answer. Rules limit those of one compartment (rules.ts). */
const FORWARDED_MAX = 4000
const PID_FILE = "resolver.pid"
const STOP_WAIT_MS = 3000
const POLL_MS = 20

export interface ResolverSettings {
  readonly folder: string
  readonly address: string
  /** True if `hub.internal` resolves to `address`. */
  readonly service: boolean
  /** Name servers as `ip:port`; if empty, the host's own. */
  readonly upstreams: ReadonlyArray<string>
}

/** Formats `ip:port` or `ip` in the way of dnsmasq. */
function upstreamOption(text: string): string {
  const [address = "", port = "53"] = text.split(":")
  const valid = /^\d{1,3}(\.\d{1,3}){3}$/.test(address) && /^\d{1,5}$/.test(port)
  if (!valid) throw new NetworkFault(`${text} is no name server of compartments: ip:port is wanted`)
  return `--server=${address}#${port}`
}

const hasEntry = async (file: string, name: string): Promise<boolean> =>
  (await readFile(file, "utf8").catch(() => "")).split("\n").some((line) => line.startsWith(`${name}:`))

/** Chooses the user that Debian's package creates for dnsmasq, or the user without rights. */
async function userOptions(): Promise<ReadonlyArray<string>> {
  const user = (await hasEntry("/etc/passwd", "dnsmasq")) ? "dnsmasq" : "nobody"
  const group = (await hasEntry("/etc/group", "nogroup")) ? "nogroup" : "nobody"
  return [`--user=${user}`, `--group=${group}`]
}

async function resolverArguments(settings: ResolverSettings): Promise<ReadonlyArray<string>> {
  const { folder, address, service, upstreams } = settings
  return [
    "--conf-file=/dev/null",
    `--pid-file=${join(folder, PID_FILE)}`,
    "--log-facility=/dev/null",
    ...(await userOptions()),
    `--listen-address=${address}`,
    `--port=${RESOLVER_PORT}`,
    "--bind-interfaces",
    "--no-hosts",
    "--stop-dns-rebind",
    "--filter-AAAA",
    "--bogus-priv",
    "--domain-needed",
    "--local=/internal/",
    `--address=/${service ? SERVICE_NAME : PROBE_NAME}/${address}`,
    `--cache-size=${CACHE_ENTRIES}`,
    `--max-cache-ttl=${CACHE_TTL_MAX_SECONDS}`,
    `--dns-forward-max=${FORWARDED_MAX}`,
    ...(upstreams.length > 0 ? ["--no-resolv", ...upstreams.map(upstreamOption)] : ["--resolv-file=/etc/resolv.conf"])
  ]
}

async function commandOf(pid: number): Promise<ReadonlyArray<string>> {
  const text = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")
  return text.split("\0").slice(1, -1)
}

async function pidIn(folder: string): Promise<number | undefined> {
  const pid = Number((await readFile(join(folder, PID_FILE), "utf8").catch(() => "")).trim())
  return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined
}

/**
 * The process id of this deployment's resolver, whatever its settings. It is recognized by the pid file in its command
 * line.
 */
async function livePid(folder: string): Promise<number | undefined> {
  const pid = await pidIn(folder)
  if (pid === undefined) return undefined
  return (await commandOf(pid)).includes(`--pid-file=${join(folder, PID_FILE)}`) ? pid : undefined
}

export async function resolverPid(settings: ResolverSettings): Promise<number | undefined> {
  const pid = await livePid(settings.folder)
  if (pid === undefined) return undefined
  const [is, wanted] = await Promise.all([commandOf(pid), resolverArguments(settings)])
  return is.join("\0") === wanted.join("\0") ? pid : undefined
}

export async function stopResolver(folder: string): Promise<void> {
  const end = Date.now() + STOP_WAIT_MS
  for (let signal: NodeJS.Signals = "SIGTERM"; ; signal = Date.now() > end ? "SIGKILL" : "SIGTERM") {
    const pid = await livePid(folder)
    if (pid === undefined) break
    try {
      process.kill(pid, signal)
    } catch {
      break
    }
    await delay(POLL_MS)
  }
  await rm(join(folder, PID_FILE), { force: true })
}

/** Adopts a running resolver, or starts one. dnsmasq moves to the background once it listens. */
export async function ensureResolver(settings: ResolverSettings): Promise<void> {
  if ((await resolverPid(settings)) !== undefined) return
  await stopResolver(settings.folder)
  await run("dnsmasq", await resolverArguments(settings))
}
