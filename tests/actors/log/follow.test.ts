/** A consumer that nobody follows any more is taken from the server, whenever that has made it. */
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { followStream } from "../../../actors/log/follow.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { type OwnBus, startOwnBus } from "../engine/bus.ts"

let bus: OwnBus
beforeAll(async () => {
  bus = await startOwnBus()
})
afterAll(() => bus.stop())

const consumers = async (): Promise<ReadonlyArray<string>> => {
  const names: Array<string> = []
  for await (const { name } of bus.manager.consumers.list(streams.events)) names.push(name)
  return names
}

const follow = async (receive: (seq: number) => void) => {
  const scope = Scope.makeUnsafe()
  const following = followStream(bus.nats, streams.events, "all", ({ seq }) => receive(seq))
  const exit = await Effect.runPromiseExit(Scope.provide(following, scope))
  return { exit, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}

/** The server's reports of consumers of the log: `create` or `delete`, and the name. */
const told = async () => {
  const all: Array<string> = []
  const subscription = bus.nats.subscribe(`$JS.EVENT.ADVISORY.CONSUMER.*.${streams.events}.>`, {
    callback: (_error, message) => {
      const { action, consumer } = message.json<{ action: string; consumer: string }>()
      all.push(`${action} ${consumer}`)
    }
  })
  await bus.nats.flush()
  return { all, end: () => subscription.unsubscribe() }
}

test("one that the server makes later than anybody waits is taken back", async () => {
  const before = await consumers()
  const { all, end } = await told()
  bus.servers.nats.freeze()
  const { exit, stop } = await follow(() => undefined)
  expect(Exit.isFailure(exit)).toBe(true)
  expect(all).toEqual([])
  bus.servers.nats.thaw()
  await waitFor(() => all.length >= 2, { describe: "it to be made, and taken back" })
  const name = all[0]?.split(" ")[1] ?? ""
  expect(all).toEqual([`create ${name}`, `delete ${name}`])
  expect(await consumers()).toEqual(before)
  await stop()
  end()
})

test("each message comes once and in order, by one consumer after the other", async () => {
  const before = await consumers()
  const got: Array<number> = []
  const { stop } = await follow((seq) => got.push(seq))
  const write = async () => (await bus.nats.request(subjects.event("one", "a"), "{}")).json<{ seq: number }>().seq
  const written = [await write(), await write()]
  await waitFor(() => got.length === 2, { describe: "both" })
  for (const name of await consumers())
    if (!before.includes(name)) await bus.manager.consumers.delete(streams.events, name)
  written.push(await write())
  await waitFor(() => got.length === 3, { describe: "the third, by a new consumer" })
  expect(got).toEqual(written)
  await stop()
  expect(await consumers()).toEqual(before)
})
