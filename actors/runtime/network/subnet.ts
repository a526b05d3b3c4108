/**
 * Chooses the addresses of a deployment's compartments.
 *
 * A deployment takes two neighbouring /24 blocks of 10.213.0.0/16. The first is divided into a /30 for each slot. The
 * second has the address of resolver and forward, and the networks for testing the rules. The choice is stored in a
 * file, because containers keep their addresses when our process restarts.
 *
 * Invariants
 *  - When the blocks are chosen, no address and no route of the host lies within them, except default routes.
 *  - Two processes never choose the same blocks. A process chooses under a lock of the network namespace. Before it
 *    releases the lock, it makes the device with the address, which the next process sees.
 */
import { readFile, rename, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { formatAddress, overlaps, parseAddress, parsePrefix, type Prefix } from "./ipv4.ts"
import { NetworkFault, runJson } from "./programs.ts"

const FIRST = parseAddress("10.213.0.0")
const BLOCK_BITS = 23
const BLOCK_SIZE = 2 ** 9
const BLOCKS = 128
const OURS_OFFSET = 256
const SLOT_SIZE = 4
const FILE = "network.json"
/**
 * Addresses in place of the internet when the rules are tested: an anycast prefix that was returned (RFC 7526) and is
 * routed nowhere. Each deployment uses two of its addresses.
 */
const OUTSIDE_FIRST = parseAddress("192.88.99.0")
/** An abstract socket, which the kernel removes when its process ends in any way. */
const LOCK = "\0hub-runtime-network"
const LOCK_WAIT_MS = 20_000
const LOCK_PAUSE_MS = 20

export interface Addresses {
  readonly block: string
  readonly slots: string
  readonly ours: string
  readonly service: string
  readonly slot: (index: number) => SlotAddresses
  readonly probe: SlotAddresses
  /** `gateway` is the host's side. */
  readonly outside: { readonly gateway: string; readonly address: string; readonly bits: number }
  /** A private address beyond the host, at the same place as `outside`. */
  readonly beyond: SlotAddresses
  /** An address that the probe does not have. */
  readonly foreign: string
}

interface SlotAddresses {
  readonly subnet: string
  readonly gateway: string
  readonly address: string
}

const slotAt = (start: number): SlotAddresses => ({
  subnet: `${formatAddress(start)}/30`,
  gateway: formatAddress(start + 1),
  address: formatAddress(start + 2)
})

export function addressesOf(block: string): Addresses {
  const { address: start } = parsePrefix(block)
  const ours = start + OURS_OFFSET
  const outside = OUTSIDE_FIRST + ((start - FIRST) / BLOCK_SIZE) * 2
  return {
    block,
    slots: `${formatAddress(start)}/24`,
    ours: `${formatAddress(ours)}/24`,
    service: formatAddress(ours + 1),
    slot: (index) => slotAt(start + SLOT_SIZE * index),
    probe: slotAt(ours + SLOT_SIZE),
    beyond: slotAt(ours + SLOT_SIZE * 2),
    foreign: formatAddress(ours + SLOT_SIZE * 3),
    outside: { gateway: formatAddress(outside), address: formatAddress(outside + 1), bits: 31 }
  }
}

interface Route {
  readonly dst: string
}
interface Device {
  readonly addr_info?: ReadonlyArray<{ readonly local?: string; readonly prefixlen?: number }>
}

/** Routes to everywhere. A VPN sets the two halves, because they win over the default route and leave it in place. */
const DEFAULT_ROUTES: ReadonlySet<string> = new Set(["default", "0.0.0.0/1", "128.0.0.0/1"])

export const takenByRoutes = (routes: ReadonlyArray<Route>): ReadonlyArray<Prefix> =>
  routes.filter(({ dst }) => !DEFAULT_ROUTES.has(dst)).map(({ dst }) => parsePrefix(dst))

async function taken(): Promise<ReadonlyArray<Prefix>> {
  const [routes, devices] = await Promise.all([
    runJson("ip", ["-j", "-4", "route", "show", "table", "all"]) as Promise<ReadonlyArray<Route>>,
    runJson("ip", ["-j", "-4", "addr", "show"]) as Promise<ReadonlyArray<Device>>
  ])
  return [
    ...takenByRoutes(routes),
    ...devices.flatMap(({ addr_info: all = [] }) =>
      all.flatMap(({ local, prefixlen }) => (local === undefined ? [] : [parsePrefix(`${local}/${prefixlen ?? 32}`)]))
    )
  ]
}

/** The first free block, counted from a place that depends on the tag, so that deployments seldom try the same one. */
export function freeBlock(tag: string, busy: ReadonlyArray<Prefix>): string {
  const from = Number.parseInt(tag, 16) % BLOCKS
  for (let step = 0; step < BLOCKS; step++) {
    const address = FIRST + ((from + step) % BLOCKS) * BLOCK_SIZE
    if (!busy.some((one) => overlaps(one, { address, bits: BLOCK_BITS })))
      return `${formatAddress(address)}/${BLOCK_BITS}`
  }
  throw new NetworkFault("no free subnet for compartments: a route or an address lies in every block of 10.213.0.0/16")
}

async function kept(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, FILE), "utf8").catch(() => undefined)
  if (text === undefined) return undefined
  const { block } = JSON.parse(text) as { block?: unknown }
  if (typeof block === "string" && /^10\.213\.\d{1,3}\.0\/23$/.test(block)) return block
  throw new NetworkFault(`${join(folder, FILE)} names no subnet of compartments`)
}

async function keep(folder: string, block: string): Promise<void> {
  const file = join(folder, FILE)
  await writeFile(`${file}.new`, `${JSON.stringify({ block })}\n`, { mode: 0o644 })
  await rename(`${file}.new`, file)
}

/** undefined if another process has the lock. */
const tryLock = (): Promise<Server | undefined> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(undefined))
    server.listen(LOCK, () => resolve(server))
  })

async function locked<A>(work: () => Promise<A>): Promise<A> {
  const end = Date.now() + LOCK_WAIT_MS
  let lock = await tryLock()
  while (lock === undefined) {
    if (Date.now() > end) throw new NetworkFault("somebody else has been choosing a subnet for too long")
    await delay(LOCK_PAUSE_MS)
    lock = await tryLock()
  }
  try {
    return await work()
  } finally {
    lock.close()
  }
}

/** `claim` makes the addresses visible to others. It is also called for addresses that were chosen earlier. */
export async function chooseAddresses(
  folder: string,
  tag: string,
  claim: (addresses: Addresses) => Promise<void>
): Promise<Addresses> {
  const before = await kept(folder)
  if (before !== undefined) {
    await claim(addressesOf(before))
    return addressesOf(before)
  }
  return locked(async () => {
    const block = freeBlock(tag, await taken())
    await keep(folder, block)
    await claim(addressesOf(block))
    return addressesOf(block)
  })
}
