/** What bounds the streams beside the log. */
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ensureStreams, UNBOUNDED } from "../../../actors/log/streams.ts"
import { MailKeys } from "../../../actors/mail/keys.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { streams } from "../../../schemas/subjects.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"

let bus: EngineBus
beforeAll(async () => {
  bus = await startBus()
})
afterAll(() => bus?.stop())

test("no account, mailbox or vault is refused for a bound of the stream that its key stands in", async () => {
  const keys = new MailKeys(bus.nats, new Uint8Array(32))
  const made = (mailbox: number): Promise<boolean> =>
    Effect.runPromise(Effect.match(keys.make(String(mailbox)), { onSuccess: () => true, onFailure: () => false }))
  const names = [streams.mailKeys, streams.people, streams.vaultKeys]
  // As an earlier release made them, with room for a few.
  for (const name of names) await bus.manager.streams.update(name, { max_bytes: 1000 })
  let count = 0
  while (await made(++count)) expect(count).toBeLessThan(100)
  await ensureStreams(bus.nats, LIMITS, 1)
  for (let n = 0; n < 20; n++) expect(await made(count + n)).toBe(true)
  for (const name of names) expect((await bus.manager.streams.info(name)).config.max_bytes).toBe(-1)
})

test("each stream has a bound in bytes, or a reason for none", async () => {
  const without: Array<string> = []
  for await (const { config } of bus.manager.streams.list()) if (config.max_bytes <= 0) without.push(config.name)
  expect(without.toSorted()).toEqual(Object.keys(UNBOUNDED).toSorted())
})
