/** Erasing is safe to repeat, also by two at once. */
import { headers } from "@nats-io/transport-node"
import { afterAll, beforeAll, expect, test } from "vitest"
import { eraseAll, eraseMessage } from "../../../actors/log/erase.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"

const TIMEOUT_MS = 30_000

let bus: EngineBus
beforeAll(async () => {
  bus = await startBus()
})
afterAll(() => bus?.stop())

/** Its sequence. */
const put = async (vault: string): Promise<number> => {
  const reply = await bus.nats.request(subjects.vaultKey(vault), "sealed", { timeout: TIMEOUT_MS, headers: headers() })
  return reply.json<{ readonly seq: number }>().seq
}

test("a message that is erased already, and one that several erase at once", async () => {
  const [first, last] = [await put("one"), await put("two")]
  const erased = (seq: number): Promise<void> => eraseMessage(bus.nats, streams.vaultKeys, seq, TIMEOUT_MS)
  await Promise.all(Array.from({ length: 8 }, () => erased(first)))
  await erased(first)
  await eraseAll(bus.nats, streams.vaultKeys, subjects.vaultKey("two"), TIMEOUT_MS)
  await Promise.all([erased(last), eraseAll(bus.nats, streams.vaultKeys, subjects.vaultKey("two"), TIMEOUT_MS)])
  expect((await bus.manager.streams.info(streams.vaultKeys)).state.messages).toBe(0)
})

test("a stream that is not there is a fault", async () => {
  await expect(eraseMessage(bus.nats, "NONE", 1, TIMEOUT_MS)).rejects.toThrow("NONE did not erase message 1")
})
