/**
 * The check sees whatever is not as it should be, by what the kernel has and by what becomes of packets, and `ensure`
 * mends it. What stands is left alone, also by another process that finds it.
 */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFailed } from "vitest"
import { Network } from "../../actors/runtime/network/network.ts"
import { isRunning } from "../../ops/launcher/proc.ts"
import { waitFor } from "../harness/index.ts"
import { sh, succeeds } from "./namespaces.ts"
import { EGRESS_KBIT, makeNetwork, type Made } from "./networks.ts"

const WHOLE = { firewall: true, egress: true, problems: [] }

let made: Made
let service: number

beforeAll(async () => {
  made = await makeNetwork()
  service = await resolverPid()
})

/** One damage is not the next one's. */
beforeEach(() => onTestFailed(() => made.network.ensure()))
afterAll(() => made?.remove())

const resolverPid = async (): Promise<number> => Number(await readFile(join(made.folder, "resolver.pid"), "utf8"))
const packetsOf = async (counter: string): Promise<number> =>
  Number(/packets (\d+)/.exec(await sh("nft", "list", "counter", "inet", made.names.table, counter))?.[1])

/** The first rule of a chain that says this. */
async function deleteRule(chain: string, says: string): Promise<void> {
  const { table } = made.names
  const lines = (await sh("nft", "-a", "list", "chain", "inet", table, chain)).split("\n")
  const handle = /# handle (\d+)$/.exec(lines.find((line) => line.includes(says)) ?? "")?.[1]
  if (handle === undefined) throw new Error(`no rule "${says}" in ${chain}`)
  await sh("nft", "delete", "rule", "inet", table, chain, "handle", handle)
}

const nft = (text: string): Promise<string> => sh("nft", ...text.split(" "))
const bridge = (): string => made.network.slots[0]?.bridge ?? ""

interface Damage {
  readonly what: string
  readonly damage: () => Promise<unknown>
  readonly firewall: boolean
  readonly egress: boolean
  readonly says: RegExp
}

const DAMAGES: ReadonlyArray<Damage> = [
  {
    what: "the pace of a slot",
    damage: () => sh("tc", "qdisc", "delete", "dev", bridge(), "root"),
    firewall: true,
    egress: false,
    says: /the pace of hb\w+c0 is not bounded/
  },
  {
    what: "a slot with twice the pace",
    damage: () =>
      sh("tc", ...`qdisc replace dev ${bridge()} root tbf rate 40960kbit burst 65536 latency 100ms`.split(" ")),
    firewall: true,
    egress: false,
    says: /the pace of hb\w+c0 is not bounded/
  },
  {
    what: "the rule on private addresses",
    damage: () => deleteRule("forward", "refuse_private"),
    firewall: false,
    egress: true,
    says: /attempts were counted as refused \(host or private\)/
  },
  {
    what: "the rule on the host",
    damage: () => deleteRule("input", "refuse_host"),
    firewall: false,
    egress: true,
    says: /attempts were counted as refused \(host or private\)/
  },
  {
    what: "the rule on other compartments",
    damage: () => deleteRule("forward", "refuse_neighbour"),
    firewall: false,
    egress: true,
    says: /0 of 1 attempts were counted as refused \(neighbour\)/
  },
  {
    what: "the rule on IPv6",
    damage: () => deleteRule("arrive", "refuse_ipv6"),
    firewall: false,
    egress: true,
    says: /0 of 1 attempts were counted as refused \(ipv6\)/
  },
  {
    what: "the rule on forged addresses",
    damage: () => deleteRule("arrive", "refuse_spoofed"),
    firewall: false,
    egress: true,
    says: /0 of 1 attempts were counted as refused \(spoofed\)/
  },
  {
    what: "the rule on connections to compartments",
    damage: () => deleteRule("towards", "refuse_inbound"),
    firewall: false,
    egress: true,
    says: /0 of 1 attempts were counted as refused \(inbound\)/
  },
  {
    what: "a drop turned into an accept",
    damage: async () => {
      await deleteRule("refuse_private", "drop")
      await nft(`add rule inet ${made.names.table} refuse_private accept`)
    },
    firewall: false,
    egress: true,
    says: /the firewall's table differs: 1 things are missing, 1 are not ours/
  },
  {
    what: "a range of private addresses",
    damage: () => nft(`delete element inet ${made.names.table} private { 100.64.0.0/10 }`),
    firewall: false,
    egress: true,
    says: /differs/
  },
  {
    what: "an accept before everything",
    damage: () => nft(`insert rule inet ${made.names.table} forward accept`),
    firewall: false,
    egress: true,
    says: /differs/
  },
  {
    what: "a table that sleeps",
    damage: () => nft(`add table inet ${made.names.table} { flags dormant ; }`),
    firewall: false,
    egress: false,
    says: /the firewall's table differs/
  },
  {
    what: "the whole table",
    damage: () => nft(`delete table inet ${made.names.table}`),
    firewall: false,
    egress: false,
    says: /the firewall's table is missing/
  },
  {
    what: "the resolver's process",
    damage: async () => {
      const pid = await resolverPid()
      process.kill(pid, "SIGKILL")
      await waitFor(() => !isRunning(pid))
    },
    firewall: true,
    egress: false,
    says: /the resolver does not run/
  },
  {
    what: "the bridge of a slot",
    damage: () => sh("ip", "link", "delete", bridge()),
    firewall: true,
    egress: false,
    says: /hb\w+c0 is no bridge with/
  },
  {
    what: "the address at which the resolver listens",
    damage: () => sh("ip", "link", "delete", made.names.service),
    firewall: false,
    egress: false,
    says: /the device of resolver and forward/
  },
  {
    what: "the probe",
    damage: () => sh("ip", "netns", "delete", made.names.probe.namespace),
    firewall: false,
    egress: false,
    says: /the probe is not as it should be/
  },
  {
    what: "what stands for the internet",
    damage: () => sh("ip", "link", "delete", made.names.outside.device),
    firewall: false,
    egress: false,
    says: /what stands for the internet/
  }
]

describe("the check", () => {
  it("finds nothing where all stands", async () => {
    expect(await made.network.check()).toEqual(WHOLE)
  })

  it.each(DAMAGES)("sees that this is not as it should be: $what; it is mended", async ({ damage, says, ...flags }) => {
    await damage()
    const { problems, ...is } = await made.network.check()
    expect({ ...is, problems }).toMatchObject({ firewall: flags.firewall, egress: flags.egress })
    expect(problems.join("\n")).toMatch(says)
    await made.network.ensure()
    expect(await made.network.check()).toEqual(WHOLE)
  })
})

describe("what stands", () => {
  it("is left alone: neither rules nor the resolver are made anew", async () => {
    await made.network.check()
    const [pid, packets] = [await resolverPid(), await packetsOf("no_host")]
    expect(packets).toBeGreaterThan(0)
    await made.network.ensure()
    expect(await packetsOf("no_host")).toBeGreaterThanOrEqual(packets)
    expect(await resolverPid()).toBe(pid)
    // One of the damages ended the first.
    expect(pid).not.toBe(service)
  })

  it("is found again by another process, with its addresses", async () => {
    const { network, folder } = made
    const [pid, packets] = [await resolverPid(), await packetsOf("no_host")]
    const engine = { ensureNetwork: async () => {}, removeNetwork: async () => {} }
    const again = await Network.open({
      folder,
      max: 2,
      engine,
      egressKbit: EGRESS_KBIT,
      service: null,
      dns: [],
      masquerade: true
    })
    expect(again.slots).toEqual(network.slots)
    await again.ensure()
    expect(await again.check()).toEqual(WHOLE)
    expect(await packetsOf("no_host")).toBeGreaterThanOrEqual(packets)
    expect(await resolverPid()).toBe(pid)
  })

  it("goes on when another deployment comes and goes, from elsewhere among the addresses", async () => {
    const others = await Promise.all([makeNetwork(), makeNetwork()])
    const blocks = [made, ...others].map(({ network }) => network.dnsAddress)
    expect(new Set(blocks).size).toBe(3)
    for (const { network } of others) expect(await network.check()).toEqual(WHOLE)
    for (const other of others) await other.remove()
    expect(await made.network.check()).toEqual(WHOLE)
  })

  it("is gone altogether once it is removed", async () => {
    const other = await makeNetwork()
    const { names, folder } = other
    const pid = Number(await readFile(join(folder, "resolver.pid"), "utf8"))
    expect(isRunning(pid)).toBe(true)
    await other.remove()
    await waitFor(() => !isRunning(pid))
    expect(await succeeds("nft", "list", "table", "inet", names.table)).toBe(false)
    expect(await sh("ip", "-br", "link")).not.toContain(`hb${names.tag}`)
    expect(await sh("ip", "netns", "list")).not.toContain(names.tag)
    expect(await sh("iptables-save").catch(() => "")).not.toContain(`hb${names.tag}`)
  })

  it("is no process that has taken over the resolver's process id", async () => {
    const file = join(made.folder, "resolver.pid")
    const pid = await resolverPid()
    await writeFile(file, `${process.pid}\n`)
    expect((await made.network.check()).problems).toContain("the resolver does not run")
    await writeFile(file, `${pid}\n`)
    expect(await made.network.check()).toEqual(WHOLE)
  })
})

describe("a network", () => {
  it("is refused with a line that says why", async () => {
    const engine = { ensureNetwork: async () => {}, removeNetwork: async () => {} }
    const settings = { folder: made.folder, engine, egressKbit: EGRESS_KBIT, service: null, masquerade: true }
    await expect(Network.open({ ...settings, max: 65, dns: [] })).rejects.toThrow(/1 to 64 compartments, not 65/)
    const wrong = await Network.open({ ...settings, max: 2, dns: ["example.test"] })
    await expect(wrong.ensure()).rejects.toThrow(/example.test is no name server/)
  })
})
