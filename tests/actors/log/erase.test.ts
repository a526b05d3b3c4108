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

test("what replaces a message while it is erased is erased too", async () => {
  const seq = await put("three")
  const replacing = Promise.withResolvers<number>()
  let isReplaced = false
  /** The message is replaced after the subject was read, and before the message is erased. */
  const slow = new Proxy(bus.nats, {
    get: (nats, name) => {
      const member: unknown = Reflect.get(nats, name)
      if (typeof member !== "function") return member
      if (name !== "publish") return member.bind(nats)
      return (subject: string, ...rest: ReadonlyArray<unknown>) => {
        const send = (): void => void member.call(nats, subject, ...rest)
        if (!subject.includes("MSG.DELETE") || isReplaced) return send()
        isReplaced = true
        replacing.resolve(put("three"))
        return void replacing.promise.then(send)
      }
    }
  })
  await eraseAll(slow, streams.vaultKeys, subjects.vaultKey("three"), TIMEOUT_MS)
  expect(await replacing.promise).toBeGreaterThan(seq)
  expect((await bus.manager.streams.info(streams.vaultKeys)).state.messages).toBe(0)
})

test("a stream that is not there is a fault", async () => {
  await expect(eraseMessage(bus.nats, "NONE", 1, TIMEOUT_MS)).rejects.toThrow("NONE did not erase message 1")
})
