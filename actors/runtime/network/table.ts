/**
 * Applies the firewall's table to the kernel, and compares the kernel's table with it.
 *
 * The kernel prints rules in its own way, so its output cannot be compared with our text. So the same text is also
 * applied in the probe's network namespace, where it affects no packet, and both tables are read back. All rules, hooks
 * and elements must be equal. Counters, and set elements that depend on traffic, are left out.
 */
import { type EndedProgram, hasProgram, NetworkFault, run, runAny } from "./programs.ts"
import { LIVE_SETS, rulesText, type RuleSettings } from "./rules.ts"

type Json = Readonly<Record<string, unknown>>

const FAMILY = "inet"

const inNamespace = (namespace: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => [
  "netns",
  "exec",
  namespace,
  "nft",
  ...args
]

/** Replaces values that change although the rules did not. */
function settled(key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  const { handle: _handle, ...rest } = value as Json
  const isCounter = key === "counter" && "packets" in rest
  const isLive = key === "set" && LIVE_SETS.includes(String(rest["name"]))
  if (isCounter) return { ...rest, packets: 0, bytes: 0 }
  if (isLive) return { ...rest, elem: [] }
  if (key === "set" && Array.isArray(rest["elem"])) {
    const elements = rest["elem"].map((element) => JSON.stringify(element))
    return { ...rest, elem: elements.toSorted() }
  }
  return rest
}

export function linesOf(listing: string): ReadonlyArray<string> {
  const { nftables } = JSON.parse(listing) as { readonly nftables: ReadonlyArray<Json> }
  return nftables
    .filter((one) => !("metainfo" in one))
    .map((one) =>
      JSON.stringify(Object.fromEntries(Object.entries(one).map(([key, value]) => [key, settled(key, value)])))
    )
}

const listArguments = (table: string): ReadonlyArray<string> => ["-j", "list", "table", FAMILY, table]
const listed = ({ code, stdout }: EndedProgram): ReadonlyArray<string> => (code === 0 ? linesOf(stdout) : [])

async function both({
  names
}: RuleSettings): Promise<readonly [is: ReadonlyArray<string>, wanted: ReadonlyArray<string>]> {
  const [is, wanted] = await Promise.all([
    runAny("nft", listArguments(names.table)),
    runAny("ip", inNamespace(names.probe.namespace, ...listArguments(names.table)))
  ])
  return [listed(is), listed(wanted)]
}

async function makeReference(settings: RuleSettings): Promise<void> {
  await run("ip", inNamespace(settings.names.probe.namespace, "-f", "-"), rulesText(settings))
}

/** Changes nothing if the table is right, so that counters and tracked connections remain. */
export async function ensureTable(settings: RuleSettings): Promise<void> {
  await makeReference(settings)
  const [is, wanted] = await both(settings)
  if (wanted.length === 0) throw new NetworkFault("nft does not tell which rules it has made")
  if (is.join("\n") !== wanted.join("\n")) await run("nft", ["-f", "-"], rulesText(settings))
}

export async function checkTable(settings: RuleSettings): Promise<ReadonlyArray<string>> {
  const made = await makeReference(settings).then(
    () => true,
    () => false
  )
  if (!made) return ["the firewall's rules could not be tried"]
  const [is, wanted] = await both(settings)
  if (is.length === 0) return ["the firewall's table is missing"]
  const lacking = wanted.filter((line) => !is.includes(line)).length
  const foreign = is.filter((line) => !wanted.includes(line)).length
  if (lacking + foreign > 0)
    return [`the firewall's table differs: ${lacking} things are missing, ${foreign} are not ours`]
  return is.join("\n") === wanted.join("\n") ? [] : ["the firewall's rules stand in another order"]
}

export type Counters = ReadonlyMap<string, number>

export async function readCounters(table: string): Promise<Counters> {
  const { code, stdout } = await runAny("nft", ["-j", "list", "counters", "table", FAMILY, table])
  if (code !== 0) return new Map()
  const { nftables } = JSON.parse(stdout) as {
    readonly nftables: ReadonlyArray<{ counter?: { name: string; packets: number } }>
  }
  return new Map(nftables.flatMap(({ counter }) => (counter === undefined ? [] : [[counter.name, counter.packets]])))
}

export async function hasTable(table: string): Promise<boolean> {
  return (await hasProgram("nft")) && (await runAny("nft", ["list", "table", FAMILY, table])).code === 0
}

export async function removeTable(table: string): Promise<void> {
  await runAny("nft", ["delete", "table", FAMILY, table])
}
