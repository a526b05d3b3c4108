/**
 * What a compartment may do in the network and what it may not, with real packets through the kernel's rules. Each
 * attack is made twice: it fails while the rules stand, and it succeeds, the very same, once they are gone.
 */
import { Resolver } from "node:dns/promises"
import { type AddressInfo, createServer } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Forward } from "../../actors/runtime/network/forward.ts"
import { nameServer, type NameServer } from "../support/dns.ts"
import { waitFor } from "../harness/index.ts"
import type { Order } from "./inside.ts"
import { ip, serveIn, sh, type Space, succeeds } from "./namespaces.ts"
import { hostServer, makeNetwork, type Made, withoutRules } from "./networks.ts"

/** An attempt that the rules swallow is given up after this. */
const WAIT_MS = 1000
/** One that gets through may take its time on a slow machine. */
const PATIENT_MS = 60_000
const ULA = "fd3a:77aa:1::1"
const LINK_LOCAL = "fe80::a1"
const METADATA = "169.254.169.254"
const REBOUND = ["10.0.0.5", "172.16.3.4", "192.168.1.1", "127.0.0.1", METADATA, "0.0.0.0"]

const zone = {
  "outside.test": { A: ["198.51.99.7"], AAAA: ["2001:db8::7"], TXT: ["hello"] },
  "example.test": { A: ["93.184.215.14"], AAAA: ["2606:2800:21f::1"], TXT: ["hello"] },
  ...Object.fromEntries(REBOUND.map((address, index) => [`rebound${index}.test`, { A: [address] }])),
  "hub.internal": { A: ["93.184.215.99"] },
  "metadata.google.internal": { A: ["93.184.215.98"] }
}

let upstream: NameServer
let service: Awaited<ReturnType<typeof hostServer>>
let listener: Awaited<ReturnType<typeof hostServer>>
let made: Made
let first: Space
let second: Space
/** Private addresses, out in the world and on the host, at a device of their own. */
let beyond: ReadonlyArray<string> = []
let ofHost: ReadonlyArray<string> = []
let privates: string | undefined

beforeAll(async () => {
  upstream = await nameServer(zone)
  service = await hostServer("127.0.0.1")
  listener = await hostServer()
  made = await makeNetwork({ service: { port: service.port }, dns: [upstream.address] })
  ;[first, second] = made.inside as [Space, Space]
  await addPrivateAddresses()
  await addIpv6()
})

afterAll(async () => {
  if (privates !== undefined) await succeeds("ip", "link", "delete", privates)
  await made?.remove()
  await Promise.all([upstream?.stop(), service?.stop(), listener?.stop()])
})

async function addPrivateAddresses(): Promise<void> {
  const { number, world } = made
  beyond = [
    `10.99.${number}.2`,
    `172.31.${number}.2`,
    `192.168.${number}.222`,
    `100.64.${number}.2`,
    `198.18.${number}.2`
  ]
  for (const address of [...beyond, METADATA]) {
    await world.space.inner(`addr add ${address}/32 dev eth0`)
    // A run that was killed may have left a route to the same address.
    await ip(`route replace ${address}/32 via ${world.address}`)
  }
  privates = `hb${made.names.tag}d`
  ofHost = [
    `10.98.${number}.1`,
    `172.30.${number}.1`,
    `100.65.${number}.1`,
    `169.254.${number}.7`,
    `203.0.113.${number}`
  ]
  await ip(`link add ${privates} type bridge`)
  await ip(`link set ${privates} up`)
  for (const address of ofHost) await ip(`addr add ${address}/32 dev ${privates}`)
}

async function addIpv6(): Promise<void> {
  const [slot] = made.network.slots
  if (slot === undefined) throw new Error("no slot")
  await ip(`-6 addr add ${LINK_LOCAL}/64 dev ${slot.bridge} nodad`)
  await ip(`-6 addr add ${ULA}/64 dev ${slot.bridge} nodad`)
  await first.inner("-6 addr add fe80::b2/64 dev eth0 nodad")
  await first.inner("-6 addr add fd3a:77aa:1::2/64 dev eth0 nodad")
}

const tcp = (to: string, port: number): Order => ({ do: "tcp", to, port, waitMs: WAIT_MS })
const patiently = (order: Order): Order => ("waitMs" in order ? { ...order, waitMs: PATIENT_MS } : order)
const dns = (name: string, type: "A" | "AAAA" | "TXT" = "A", server = "198.51.100.254"): Order => ({
  do: "dns",
  server,
  name,
  type
})

/** The same attempts with the rules and without. */
async function bothWays(space: Space, orders: ReadonlyArray<Order>): Promise<void> {
  expect(await space.run(...orders)).toEqual(orders.map(() => "silent"))
  expect(await withoutRules(made, () => space.run(...orders.map(patiently)))).toEqual(orders.map(() => "open"))
  expect(await space.run(...orders)).toEqual(orders.map(() => "silent"))
}

/** What an engine of this machine drops of what is forwarded to a bridge is no proof for our rules: it is let through. */
async function lettingForward<A>(work: () => Promise<A>): Promise<A> {
  const rule = ["DOCKER-USER", "-o", `hb${made.names.tag}+`, "-j", "ACCEPT"]
  const added = await succeeds("iptables", "-w", "5", "-I", ...rule)
  try {
    return await work()
  } finally {
    if (added) await sh("iptables", "-w", "5", "-D", ...rule)
  }
}

describe("a compartment", () => {
  it("reaches the world, with the host's address", async () => {
    const { world, number } = made
    const { plain } = world.ports
    const [said] = await first.run({ do: "get", to: world.address, port: plain, waitMs: PATIENT_MS })
    expect(said).toBe(`::ffff:198.51.100.${number * 2}\n`)
  })

  it("reaches nothing that listens on the host", async () => {
    const { network, number } = made
    const [slot, other] = network.slots
    const addresses = [slot?.gateway, other?.gateway, network.dnsAddress, `198.51.100.${number * 2}`, ...ofHost]
    await bothWays(
      first,
      addresses.map((address) => tcp(address ?? "", listener.port))
    )
  })

  it("reaches no private address beyond the host, the cloud's metadata among them", async () => {
    await lettingForward(() =>
      bothWays(
        first,
        [...beyond, METADATA].map((to) => tcp(to, made.world.ports.plain))
      )
    )
  })

  it("reaches no mail server, so it sends no mail from the address of the service", async () => {
    const { world } = made
    const server = await serveIn(world.space, { do: "serve", plain: 25, source: 7302, sink: 7303, udp: 7304 })
    try {
      await lettingForward(() => bothWays(first, [tcp(world.address, 25)]))
    } finally {
      await server.stop()
    }
  })

  it("reaches no other compartment", async () => {
    const server = await serveIn(second, { do: "serve", plain: 7101, source: 7102, sink: 7103, udp: 7104 })
    try {
      await lettingForward(() => bothWays(first, [tcp(made.network.slots[1]?.address ?? "", 7101)]))
    } finally {
      await server.stop()
    }
  })

  it("sends no IPv6, not even to its own link", async () => {
    await bothWays(first, [tcp(`${LINK_LOCAL}%eth0`, listener.port), tcp(ULA, listener.port)])
  })

  it("is reached by nobody, from the host or from the world", async () => {
    const { network, world } = made
    const address = network.slots[0]?.address ?? ""
    const server = await serveIn(first, { do: "serve", plain: 7201, source: 7202, sink: 7203, udp: 7204 })
    try {
      await lettingForward(() => bothWays(world.space, [tcp(address, 7201)]))
      const fromHost = (seconds: number): Promise<boolean> =>
        succeeds("timeout", String(seconds), "bash", "-c", `: </dev/tcp/${address}/7201`)
      expect(await fromHost(2)).toBe(false)
      expect(await withoutRules(made, () => fromHost(60))).toBe(true)
    } finally {
      await server.stop()
    }
  })

  it("sends from no address but its own", async () => {
    const { world } = made
    const { said } = world.served
    await first.inner("addr add 203.0.113.250/32 dev lo")
    const datagram = (text: string, from: string): Order => ({
      do: "udp",
      to: world.address,
      port: world.ports.udp,
      from,
      text
    })
    const own = made.network.slots[0]?.address ?? ""
    const came = (text: string): boolean => said.some(({ udp }) => udp === text)
    await first.run(datagram("forged", "203.0.113.250"))
    await first.run(datagram("own", own))
    await waitFor(() => came("own"), { describe: "a datagram from its own address" })
    expect(came("forged")).toBe(false)
    await lettingForward(() => withoutRules(made, () => first.run(datagram("forged too", "203.0.113.250"))))
    await waitFor(() => said.some((one) => one["udp"] === "forged too" && one["from"] === "203.0.113.250"), {
      describe: "a forged datagram"
    })
  })

  it("has a bounded number of connections", async () => {
    const { world, names } = made
    const count = 1300
    const enough = { open: 1000, closed: 0 }
    const hold = { do: "hold", to: world.address, port: world.ports.source, count, enough, waitMs: PATIENT_MS } as const
    const [held] = (await first.run(hold)) as ReadonlyArray<{ open: number }>
    expect(held?.open).toBeGreaterThanOrEqual(1000)
    expect(held?.open).toBeLessThanOrEqual(1025)
    expect(await sh("nft", "list", "counter", "inet", names.table, "no_crowd")).not.toContain("packets 0")
  })
})

describe("names", () => {
  it("are answered by ours, whomever it asks", async () => {
    const orders = [
      dns("example.test"),
      dns("example.test", "TXT", "8.8.8.8"),
      dns("example.test", "A", made.network.dnsAddress)
    ]
    // A datagram may be lost: whoever asks by datagrams asks again.
    const answers = await waitFor(
      async () => {
        const all = await first.run(...orders)
        return all.includes("ETIMEOUT") ? null : all
      },
      { describe: "answers to all of them" }
    )
    expect(answers).toEqual(['["93.184.215.14"]', '[["hello"]]', '["93.184.215.14"]'])
    expect(upstream.asked.get("example.test")).toBeGreaterThan(0)
  })

  it("never lead to a private address", async () => {
    const names = REBOUND.map((_, index) => `rebound${index}.test`)
    const answers = await first.run(...names.map((name) => dns(name)))
    for (const answer of answers) expect(answer).toMatch(/^E[A-Z]+$/)
    // Whoever asks the same server without ours between gets them.
    const resolver = new Resolver()
    resolver.setServers([upstream.address])
    for (const [index, name] of names.entries()) expect(await resolver.resolve4(name)).toEqual([REBOUND[index]])
  })

  it("have no IPv6 address", async () => {
    expect(await first.run(dns("example.test", "AAAA"))).toEqual(["ENODATA"])
    const resolver = new Resolver()
    resolver.setServers([upstream.address])
    expect(await resolver.resolve6("example.test")).toEqual(["2606:2800:21f::1"])
  })

  it("of ours are fixed, and no others below them are asked for", async () => {
    const { network } = made
    expect(await first.run(dns("hub.internal"), dns("metadata.google.internal"))).toEqual([
      `["${network.serviceAddress}"]`,
      "ENOTFOUND"
    ])
    expect(upstream.asked.has("hub.internal")).toBe(false)
    expect(upstream.asked.has("metadata.google.internal")).toBe(false)
  })
})

describe("the forward to the service", () => {
  const get = (to: string): Order => ({ do: "get", to, port: service.port, waitMs: PATIENT_MS })

  it("is reached by compartments, each as an address of its own", async () => {
    const { network } = made
    const address = network.serviceAddress ?? ""
    const said = [...(await first.run(get(address))), ...(await second.run(get(address)))]
    expect(said).toEqual(network.slots.map((slot) => `127.${slot.address.split(".").slice(1).join(".")}\n`))
  })

  it("is reached by nobody else", async () => {
    const { network, world, names } = made
    const address = network.serviceAddress ?? ""
    const port = service.port
    expect(await world.space.run(tcp(address, port))).toEqual(["silent"])
    expect(await sh("nft", "list", "counter", "inet", names.table, "no_outsider")).not.toContain("packets 0")
    // Without the rules the forward itself sends others away: it accepts and says nothing.
    const without = await withoutRules(made, () => world.space.run(patiently(tcp(address, port)), get(address)))
    expect(without).toEqual(["open", ""])
  })

  it("gives nobody more than a share of its connections", async () => {
    const address = made.network.serviceAddress ?? ""
    const quiet = await quietForward(address)
    try {
      const enough = { open: 80, closed: 16 }
      const [held] = await first.run({
        do: "hold",
        to: address,
        port: quiet.port,
        count: 80,
        enough,
        waitMs: PATIENT_MS
      })
      expect(held).toEqual({ open: 80, closed: 16 })
    } finally {
      await quiet.stop()
    }
  })
})

/** To a service that says nothing and closes nothing. */
async function quietForward(address: string): Promise<{ readonly port: number; readonly stop: () => Promise<void> }> {
  const sockets = new Set<{ destroy: () => void }>()
  const server = createServer((socket) => void sockets.add(socket.on("error", () => {})))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const forward = new Forward({ address, port, allowed: new Set(made.network.slots.map((slot) => slot.address)) })
  await forward.listen()
  const rule = `insert rule inet ${made.names.table} input ip daddr ${address} tcp dport ${port} accept`
  await sh("nft", ...rule.split(" "))
  return {
    port,
    stop: async () => {
      await forward.close()
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await made.network.ensure()
    }
  }
}
