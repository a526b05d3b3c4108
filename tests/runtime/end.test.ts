/** What of a host ends when nothing runs on it, what does not, and who keeps it from ending. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { dirname, join } from "node:path"
import { afterEach, expect, test } from "vitest"
import { holdersOf, holdHost } from "../../actors/runtime/holding.ts"
import { Network } from "../../actors/runtime/network/network.ts"
import { bridgesInUse, removeNetwork } from "../../actors/runtime/network/removal.ts"
import { namesOf, tagOf } from "../../actors/runtime/network/tag.ts"
import { endAll, endUnused } from "../../ops/runtime/end.ts"
import { placesOf } from "../../ops/runtime/places.ts"
import { writeEngine } from "../../ops/runtime/prepared.ts"
import { ensurePrograms } from "../../ops/runtime/programs.ts"
import { testFolder, waitFor } from "../harness/index.ts"
import { handsOf, hostedService, until } from "./hosted.ts"
import { ip, sh, succeeds } from "./namespaces.ts"
import { bareBridges, EGRESS_KBIT } from "./networks.ts"

const after: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const clean of after.splice(0).toReversed()) await clean()
})

/** What the machine has of a deployment. */
const leftOf = async (folder: string): Promise<ReadonlyArray<string>> => {
  const tag = tagOf(folder)
  const [links, spaces, tables] = await Promise.all([
    sh("ip", "-brief", "link"),
    sh("ip", "netns", "list"),
    sh("nft", "list", "tables")
  ])
  const rules = await sh("iptables", "-w", "5", "-S", "DOCKER-USER").catch(() => "")
  return [links, spaces, tables, rules].flatMap((text) => text.split("\n")).filter((line) => line.includes(tag))
}

/** A host with its network, and no engine: bridges are as one had made them. */
const madeHost = async (): Promise<{ readonly dataDir: string; readonly folder: string }> => {
  await ensurePrograms({ env: process.env, progress: () => undefined })
  const dataDir = await testFolder("end")
  const { folder } = placesOf(dataDir)
  const own = { folder, max: 2, engine: bareBridges(), egressKbit: EGRESS_KBIT, service: null, dns: [] }
  const network = await Network.open({ ...own, masquerade: true })
  after.push(() => network.close({ remove: true }))
  await network.ensure()
  return { dataDir, folder }
}

test("where nothing runs nothing of the network stays, said in a line, and done again there is nothing to do", async () => {
  const { dataDir, folder } = await madeHost()
  expect((await leftOf(folder)).length).toBeGreaterThan(5)
  const { ended, removed } = await endAll(dataDir)
  expect(ended).toEqual([])
  // Its own three, two bridges of slots, and the two ends that stand in namespaces.
  expect(removed.slice(0, 3)).toEqual([
    `the table inet ${namesOf(tagOf(folder)).table}`,
    "6 devices",
    "2 network namespaces"
  ])
  expect(await leftOf(folder)).toEqual([])
  expect(await endAll(dataDir)).toEqual({ ended: [], removed: [] })
  expect(await endUnused(dataDir)).toEqual({ running: [], removed: [] })
})

test("from any half of it the rest goes as well, and nothing of a neighbour's", async () => {
  const { folder } = await madeHost()
  const neighbour = await madeHost()
  const { table, outside, service } = namesOf(tagOf(folder))
  await sh("nft", "delete", "table", "inet", table)
  await ip(`netns delete ${outside.namespace}`)
  await ip(`link delete ${service}`)
  const beside = await leftOf(neighbour.folder)
  expect((await removeNetwork(folder, null)).length).toBeGreaterThan(0)
  expect(await leftOf(folder)).toEqual([])
  expect((await leftOf(neighbour.folder)).length).toBe(beside.length)
})

test("networks of an engine go by their names, before the devices", async () => {
  const { folder } = await madeHost()
  const tag = tagOf(folder)
  const asked: Array<string> = []
  const removed = await removeNetwork(folder, {
    namesOfNetworks: async (prefix) => [`${prefix}0`, `${prefix}1`],
    removeNetwork: async (name) => void asked.push(name)
  })
  expect(asked).toEqual([`hub-${tag}-0`, `hub-${tag}-1`])
  expect(removed.at(-1)).toBe("2 networks of the engine")
})

test("where no engine answers and something stands at a bridge, all stays as it is", async () => {
  const { dataDir, folder } = await madeHost()
  const { bridge } = namesOf(tagOf(folder))
  const device = `hb${tagOf(folder)}x`
  await ip(`link add ${device} type veth peer name ${device}p`)
  after.push(() => succeeds("ip", "link", "delete", device))
  await ip(`link set ${device} master ${bridge(1)}`)
  const before = await leftOf(folder)
  expect(await bridgesInUse(folder)).toEqual([bridge(1)])
  expect(await endUnused(dataDir)).toEqual({ running: [bridge(1)], removed: [] })
  await expect(endAll(dataDir)).rejects.toThrow(`still there: ${bridge(1)}`)
  expect((await leftOf(folder)).length).toBe(before.length)
})

test("a host that serves is not ended; without its role all that it had ends, and its engine's networks", async () => {
  const service = await hostedService()
  after.push(() => service.stop())
  const { folder, engine, docker } = service
  const [dataDir, tag] = [dirname(folder), tagOf(folder)]
  await writeEngine(placesOf(dataDir).known, { socket: engine.socket, own: false })
  const [one, made] = await handsOf(() => service).made("sleep 600")
  await until(one, made.id, "running")
  await expect(endAll(dataDir)).rejects.toThrow(/is at work \(role pid \d+\)/)
  expect((await service.container(made.id).inspect()).State.Running).toBe(true)

  await service.system.runtime?.kill()
  expect(await endUnused(dataDir)).toEqual({ running: [made.id], removed: [] })
  const { ended, removed } = await endAll(dataDir)
  expect(ended).toEqual([made.id])
  expect(removed).toContain("3 networks of the engine")
  expect(await leftOf(folder)).toEqual([])
  expect((await docker.listNetworks()).filter(({ Name }) => Name.startsWith(`hub-${tag}-`))).toEqual([])
  expect(await endAll(dataDir)).toEqual({ ended: [], removed: [] })
})

test("while the role or the preparation lives, the end is refused; a process that was killed holds nothing", async () => {
  const dataDir = await testFolder("end")
  const { folder } = placesOf(dataDir)
  const module = join(import.meta.dirname, "../../actors/runtime/holding.ts")
  const program = `import { holdHost } from ${JSON.stringify(module)}
    await holdHost(${JSON.stringify(folder)}, "role")
    console.log("held")
    setInterval(() => undefined, 1000)`
  const role = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--eval", program])
  after.push(async () => role.kill("SIGKILL"))
  await once(role.stdout, "data")
  const letGo = await holdHost(folder, "preparation")
  const holders = [
    { worker: "role", pid: role.pid },
    { worker: "preparation", pid: process.pid }
  ]
  expect(new Set(await holdersOf(folder))).toEqual(new Set(holders))
  expect(await holdersOf(`${folder}2`)).toEqual([])
  await expect(endAll(dataDir)).rejects.toThrow(
    /^the runtime of .* is at work \(.*role pid \d+.*\).*: stop the service first/
  )
  role.kill("SIGKILL")
  await once(role, "exit")
  await waitFor(async () => (await holdersOf(folder)).length === 1, { describe: "the end of the role's hold" })
  await expect(endAll(dataDir)).rejects.toThrow(/\(preparation pid \d+\)/)
  letGo()
  await waitFor(async () => (await holdersOf(folder)).length === 0, { describe: "the end of the other hold" })
  expect((await endAll(dataDir)).ended).toEqual([])
})
