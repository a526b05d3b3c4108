/** Keys of vaults under another HUB_VAULT_KEY. */
import { randomBytes, randomUUID } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { KeySealing } from "../../../actors/vault/keeper/sealing.ts"
import { KeeperStore } from "../../../actors/vault/keeper/store.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"

let bus: EngineBus
beforeAll(async () => {
  bus = await startBus()
})
afterAll(() => bus?.stop())

const [current, former, unknown] = [randomBytes(32), randomBytes(32), randomBytes(32)]
const storeUnder = (seed: Uint8Array, before: Uint8Array | null = null) =>
  new KeeperStore(bus.nats, new KeySealing(seed, before))

const kept = async (store: KeeperStore): Promise<readonly [vault: string, key: string]> => {
  const [vault, bytes] = [randomUUID(), randomBytes(32)]
  const key = bytes.toString("hex")
  await store.keep(vault, { bytes, public_key: "key" })
  return [vault, key]
}

const rewrapped = async () => {
  const store = storeUnder(current, former)
  let [keys, found, from, parts]: [number, number, number | null, number] = [0, 0, 1, 0]
  const unopened: Array<string> = []
  for (; from !== null; parts++) {
    const part: Awaited<ReturnType<KeeperStore["rewrap"]>> = await store.rewrap(from)
    keys += part.keys
    found += part.current
    unopened.push(...part.unopened)
    from = part.next
  }
  return { keys, found, unopened, parts }
}

test("are all brought under the current one, in parts, but for the one that does not open", async () => {
  const under: Array<readonly [vault: string, key: string]> = []
  for (let count = 0; count < 30; count++) under.push(await kept(storeUnder(former)))
  const [lost] = await kept(storeUnder(unknown))
  for (let count = 0; count < 30; count++) under.push(await kept(storeUnder(former)))
  const done = await rewrapped()
  expect(done).toEqual({ keys: 60, found: 60, unopened: [lost], parts: expect.any(Number) })
  expect(done.parts).toBeGreaterThan(1)
  expect(await rewrapped()).toMatchObject({ keys: 0, found: 60, unopened: [lost] })
  for (const [vault, key] of under) {
    const opened = await storeUnder(current).privateKeyOf(vault)
    expect(opened?.bytes.toString("hex")).toBe(key)
  }
})
