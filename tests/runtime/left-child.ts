/** A run of tests that is killed while it has a network. */
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { Network } from "../../actors/runtime/network/network.ts"
import { makeTestFolder } from "../../ops/launcher/test-folder.ts"
import { bareBridges, EGRESS_KBIT } from "./networks.ts"

const run = await makeTestFolder()
const folder = join(run, "network-left")
await mkdir(folder)
const network = await Network.open({
  folder,
  max: 1,
  engine: bareBridges(),
  egressKbit: EGRESS_KBIT,
  service: null,
  dns: [],
  masquerade: true
})
await network.ensure()
process.send?.(run)
setInterval(() => undefined, 60_000)
