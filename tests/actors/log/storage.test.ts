/** What nats-servers tell of the room that they have. */
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { freeStorage, type StorageParts } from "../../../actors/log/storage.ts"
import { findNatsServer } from "../../../ops/launcher/nats-binary.ts"
import { dataFolder } from "../../../ops/launcher/paths.ts"
import { drawPort } from "../../../ops/launcher/ports.ts"
import { spawnTied, type TiedProcess } from "../../../ops/launcher/tied.ts"
import { testFolder, waitFor } from "../../harness/index.ts"

const STORE_BYTES = 1_000_000_000

const running: Array<TiedProcess> = []
const monitors: Array<string> = []

/** Resolves to the address of its monitoring. */
const server = async (...more: ReadonlyArray<string>): Promise<string> => {
  const [folder, monitor, port] = [await testFolder("room"), await drawPort(), await drawPort()]
  const binary = await findNatsServer({ env: process.env, dataDir: dataFolder({}), progress: () => undefined })
  const stdio = ["ignore", "ignore", "ignore"] as const
  running.push(
    await spawnTied({
      command: [binary, "-a", "127.0.0.1", "-p", String(port), "-m", String(monitor), ...more],
      cwd: folder,
      stdio: [...stdio],
      stopSignal: "SIGTERM"
    })
  )
  const url = `http://127.0.0.1:${monitor}`
  await waitFor(async () => (await fetch(`${url}/jsz`)).ok, { describe: "its monitoring" })
  return url
}

beforeAll(async () => {
  const folder = await testFolder("stored")
  monitors.push(await server("-js", "-sd", folder), await server())
})
afterAll(() => Promise.all(running.map((one) => one.stop())))

const freeBy = (...natsMonitors: ReadonlyArray<string>): Promise<number | null> => {
  const config = { natsUrl: "nats://elsewhere:4222", data: "", natsMonitors }
  const manager: StorageParts["manager"] = { getAccountInfo: () => Promise.reject(new Error("away")) }
  return Effect.runPromise(freeStorage({ manager, config }))
}

test("a server without JetStream, as one is that ends, tells nothing of any room", async () => {
  const [stores = "", ends = ""] = monitors
  expect(await freeBy(ends)).toBeNull()
  expect(await freeBy(stores)).toBeGreaterThan(STORE_BYTES)
  expect(await freeBy(stores, ends)).toBe(await freeBy(stores))
})
