/**
 * Limits the rate at which a compartment receives. Packets to it leave through its bridge, which has a token bucket.
 * Each slot has its own, so nobody takes another's share. Packets that do not fit into the queue are lost, as on any
 * link.
 *
 * The firewall limits the rate at which it sends (rules.ts). A queue for that direction would need a separate device
 * (ifb) at the bridge's incoming side. If the kernel filters bridged packets (br_netfilter, which Docker's engine
 * loads), a packet that went that way has lost its connection, and addresses are not translated any more.
 */
import { run, runJson } from "./programs.ts"

/** At least one packet of the largest size that segmentation offload makes. */
const BURST_BYTES = 64 * 1024
/** Milliseconds that a packet waits at most. */
const LATENCY_MS = 100
const BITS_PER_BYTE = 8
const BITS_PER_KBIT = 1000

const bucketLine = (bridge: string, kbit: number): string =>
  `qdisc replace dev ${bridge} root tbf rate ${kbit}kbit burst ${BURST_BYTES}b latency ${LATENCY_MS}ms`

interface Qdisc {
  readonly dev: string
  readonly kind: string
  readonly root?: boolean
  readonly options?: { readonly rate?: number; readonly burst?: number }
}

const isBucket = ({ kind, root, options }: Qdisc, kbit: number): boolean =>
  root === true &&
  kind === "tbf" &&
  options?.rate === (kbit * BITS_PER_KBIT) / BITS_PER_BYTE &&
  options.burst === BURST_BYTES

/** Bridges without the shaping that they should have, according to the kernel. */
export async function unshaped(bridges: ReadonlyArray<string>, kbit: number): Promise<ReadonlyArray<string>> {
  const all = (await runJson("tc", ["-j", "qdisc", "show"])) as ReadonlyArray<Qdisc>
  const shaped = new Set(all.filter((qdisc) => isBucket(qdisc, kbit)).map(({ dev }) => dev))
  return bridges.filter((bridge) => !shaped.has(bridge))
}

/** Changes nothing if the settings are right, because a replaced bucket forgets the tokens that were used. */
export async function ensureShaping(bridges: ReadonlyArray<string>, kbit: number): Promise<void> {
  const lines = (await unshaped(bridges, kbit)).map((bridge) => bucketLine(bridge, kbit))
  if (lines.length > 0) await run("tc", ["-batch", "-"], `${lines.join("\n")}\n`)
}
