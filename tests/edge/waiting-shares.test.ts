/** Work that waits for its turn: one who asks for much of it keeps nobody else out. */
import { buffer } from "node:stream/consumers"
import { syncBuiltinESMExports } from "node:module"
import zlib, { gzipSync } from "node:zlib"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { pack } from "tar-stream"
import { expect, test, vi } from "vitest"
import type { Bus } from "../../edge/bus/bus.ts"
import { Judging } from "../../edge/compartment/judging.ts"
import { Feeds } from "../../edge/feed/feeds.ts"
import { JSON_FEED } from "../../edge/feed/json-feed.ts"
import type { Call } from "../../edge/http/call.ts"
import type { Refused } from "../../edge/http/refused.ts"
import { AgentMarkdown } from "../../edge/kit/agent-markdown.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { waitFor } from "../harness/index.ts"
import { about, feedOf } from "../support/costly/feeds.ts"

const MANY = 200

const by = (home: string, client = home): Call =>
  ({
    client,
    wide: null,
    ticket: { home },
    person: null,
    holder: null,
    endpoint: null,
    header: () => undefined,
    headers: {},
    startedAt: Date.now(),
    clock: machineClock,
    deadline: Number.POSITIVE_INFINITY
  }) as unknown as Call

/** Runs all at once, in this order; `begun` comes before any of them is awaited. */
const outcomes = async (
  runs: ReadonlyArray<Effect.Effect<unknown, Refused>>,
  begun: () => void = () => undefined
): Promise<ReadonlyArray<string>> => {
  const fibers = runs.map((run) => Effect.runFork(Effect.result(run)))
  begun()
  const exits = await Promise.all(fibers.map((fiber) => Effect.runPromise(Fiber.await(fiber))))
  return exits.map((exit) => {
    if (!Exit.isSuccess(exit)) return "failed"
    return exit.value._tag === "Success" ? "done" : exit.value.failure.refusal.code
  })
}

test("of feeds that are to be written one client has a part", async () => {
  const open = Deferred.makeUnsafe<void>()
  const feed = feedOf("a", 10)
  const bus = {
    query: (_within: unknown, view: string) =>
      view === "feed" ? Effect.as(Deferred.await(open), feed) : Effect.succeed(feed)
  } as unknown as Pick<Bus, "query">
  const feeds = new Feeds(bus, "https://hub.example", new AgentMarkdown())
  const cold = (call: Call, author: string) =>
    feeds.serve(call, { ...about, scope: { category: null, author } }, JSON_FEED)
  const greedy = Array.from({ length: MANY }, (_, index) => cold(by("greedy"), `agent-${index}`))
  const seen = await outcomes([...greedy, cold(by("other"), "another")], () => Deferred.doneUnsafe(open, Exit.void))
  const some = seen.slice(0, MANY).filter((one) => one === "done").length
  expect([some > 1, some < MANY / 4, seen.at(-1)]).toEqual([true, true, "done"])
  expect(new Set(seen)).toEqual(new Set(["done", "overloaded"]))
})

/** A file of zeros, which takes some time to unpack. */
const archiveOf = async (bytes: number): Promise<Buffer> => {
  const tar = pack()
  tar.entry({ name: "a.bin" }, Buffer.alloc(bytes))
  tar.finalize()
  return gzipSync(await buffer(tar))
}

test("an archive has its place until its check has ended, also if its client is gone", async () => {
  const unpacking = vi.spyOn(zlib, "createGunzip")
  syncBuiltinESMExports()
  const fiber = Effect.runFork(new Judging(LIMITS).judged(by("gone"), await archiveOf(20_000_000)))
  await waitFor(async () => unpacking.mock.results.length === 1)
  await Effect.runPromise(Fiber.interrupt(fiber))
  const [stream] = unpacking.mock.results
  expect(stream?.value).toMatchObject({ destroyed: true })
  unpacking.mockRestore()
  syncBuiltinESMExports()
})

test("of archives that are to be judged one agent has a part, and one network half", async () => {
  const judging = new Judging(LIMITS)
  const archive = await archiveOf(1)
  const judged = (call: Call) => judging.judged(call, archive)
  const greedy = Array.from({ length: MANY }, () => judged(by("greedy")))
  const seen = await outcomes([...greedy, judged(by("other"))])
  const some = seen.slice(0, MANY).filter((one) => one === "done").length
  expect([some > 1, some < MANY / 4, seen.at(-1)]).toEqual([true, true, "done"])
  const crowd = Array.from({ length: MANY }, (_, index) => judged(by(`agent-${index}`, "one network")))
  expect((await outcomes([...crowd, judged(by("other"))])).at(-1)).toBe("done")
})
