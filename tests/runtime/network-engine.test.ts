/**
 * The network beside Docker's engine, which has its own opinion of what is forwarded: it makes the bridges, and a real
 * container stands at one of them.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import type { EngineNetworks } from "../../actors/runtime/network/network.ts"
import { type Engine, startEngine } from "../deploy/engine.ts"
import { nameServer, type NameServer } from "../support/dns.ts"
import { sh, succeeds } from "./namespaces.ts"
import { hostServer, makeNetwork, type Made } from "./networks.ts"
import { importShell } from "./shell-image.ts"

const WHOLE = { firewall: true, egress: true, problems: [] }
const IMAGE = "hub-test-shell"

let engine: Engine
let made: Made
let upstream: NameServer
let service: Awaited<ReturnType<typeof hostServer>>
let listener: Awaited<ReturnType<typeof hostServer>>

beforeAll(async () => {
  engine = await startEngine()
  upstream = await nameServer({ "example.test": { A: ["198.51.101.7"] } })
  service = await hostServer("127.0.0.1")
  listener = await hostServer()
  made = await makeNetwork({
    engine: engineNetworks(engine),
    service: { port: service.port },
    dns: [upstream.address],
    masquerade: false
  })
  await importShell(IMAGE, (args) => engine.docker(args))
})

afterAll(async () => {
  await made?.remove()
  await engine?.stop()
  await Promise.all([upstream?.stop(), service?.stop(), listener?.stop()])
})

function engineNetworks({ docker }: Engine): EngineNetworks {
  const exists = (name: string): Promise<boolean> =>
    docker(["network", "inspect", name]).then(
      () => true,
      () => false
    )
  return {
    ensureNetwork: async (name, { bridge, subnet, gateway, mtu }) => {
      if (await exists(name)) return
      const options = [`com.docker.network.bridge.name=${bridge}`, `com.docker.network.driver.mtu=${mtu}`]
      const addresses = ["--subnet", subnet, "--gateway", gateway]
      await docker(["network", "create", ...addresses, ...options.flatMap((option) => ["--opt", option]), name])
    },
    removeNetwork: async (name) => {
      if (await exists(name)) await docker(["network", "rm", name])
    }
  }
}

/** In a container at the first slot; what it says. */
function inContainer(script: string): Promise<string> {
  const [slot] = made.network.slots
  const at = ["--network", slot?.network ?? "", "--ip", slot?.address ?? "", "--dns", made.network.dnsAddress]
  const rights = ["--cap-drop", "ALL", "--user", "1000:1000"]
  return engine.docker(["run", "--rm", ...at, ...rights, IMAGE, "/bin/bash", "-c", script])
}

const say = (to: string, port: number, seconds = 60): string =>
  `timeout ${seconds} /bin/bash -c 'exec 3<>/dev/tcp/${to}/${port} && cat <&3' 2>/dev/null || echo refused`

it("lets a container's packets through the engine's own rules, and takes notice when it does not", async () => {
  expect(await made.network.check()).toEqual(WHOLE)
  const rule = ["DOCKER-USER", "-i", `hb${made.names.tag}c+`, "-j", "ACCEPT"]
  expect(await succeeds("iptables", "-w", "5", "-D", ...rule)).toBe(true)
  const { firewall, problems } = await made.network.check()
  expect(firewall).toBe(true)
  expect(problems).toContain("DOCKER-USER does not accept compartments' packets")
  await made.network.ensure()
  expect(await made.network.check()).toEqual(WHOLE)
})

it("has the engine make a network anew that has gone, or whose bridge has", async () => {
  const [, slot] = made.network.slots
  await engine.docker(["network", "rm", slot?.network ?? ""])
  expect((await made.network.check()).problems.join("\n")).toMatch(/c1 is no bridge/)
  await made.network.ensure()
  expect(await made.network.check()).toEqual(WHOLE)
  await sh("ip", "link", "delete", slot?.bridge ?? "")
  expect((await made.network.check()).egress).toBe(false)
  await made.network.ensure()
  expect(await made.network.check()).toEqual(WHOLE)
})

it("gives a container the world, names and the service, and nothing of the host", async () => {
  await made.inside[0]?.remove()
  const { network, world } = made
  const script = [
    say(world.address, world.ports.plain),
    say("hub.internal", service.port),
    say(network.slots[0]?.gateway ?? "", listener.port, 2),
    say("198.51.100.1", listener.port, 2)
  ].join("\n")
  const slot = network.slots[0]?.address.split(".").slice(1).join(".")
  expect((await inContainer(script)).trim().split("\n")).toEqual([
    `::ffff:198.51.100.${made.number * 2}`,
    `127.${slot}`,
    "refused",
    "refused"
  ])
})
