/**
 * Limits the rate at which a compartment receives. Packets to it leave through its bridge, which has a token bucket.
 * Each bridge has its own bucket, so compartments cannot use each other's share. Packets that do not fit into the queue
 * are lost, as on any link.
 *
 * The firewall limits the rate at which a compartment sends (rules.ts), because a queue for that direction needs a
 * separate device (ifb). That device breaks packets if the kernel filters bridged traffic (br_netfilter, which Docker's
 * engine loads). They lose their connection tracking, so addresses are no longer translated.
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
