/** A worker on a shared consumer: what it holds, how it settles that, and how it ends. */
import { type Cause, Deferred, Effect } from "effect"
import { expect, onTestFinished, test } from "vitest"
import { HeldMessages } from "../../actors/kit/worker/held.ts"
import type { Message, Source } from "../../actors/kit/worker/message.ts"
import { handleEach } from "../../actors/kit/worker/worker.ts"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import { monotonicMs } from "../../schemas/runtime/clock.ts"
import { standingClock, waitFor } from "../harness/index.ts"
import { openScope } from "../support/scope.ts"

type AgainMs = (message: Message, cause: Cause.Cause<Refusal>) => number | null

const HELD_MAX = 2

const ACK_WAIT_MS = 30_000

const plain = (seq: number, given: number): Message => ({
  seq,
  delivery: String(seq),
  data: Buffer.alloc(0),
  given,
  ack: () => undefined,
  nak: () => undefined,
  working: () => undefined
})

const holding = () => {
  const clock = standingClock()
  const held = new HeldMessages({ held_max: 2, fetch_room_min: 1, ack_pending_max: 3 }, clock, ACK_WAIT_MS)
  return { clock, held, now: () => monotonicMs(clock) }
}

/** Work on a message lasts until the test ends it. An interrupted fetch still brings message 99. */
const worked = async ({ againMs, lingerMs = 1 }: { readonly againMs?: AgainMs; readonly lingerMs?: number } = {}) => {
  const told: Array<string> = []
  const waiting: Array<Message> = []
  const asked: Array<number> = []
  const works: Array<[seq: number, work: Deferred.Deferred<void, Refusal>]> = []
  let wake: () => void = () => undefined
  const message = (seq: number, data: object | null = { type: "call" }): Message => ({
    seq,
    delivery: String(seq),
    data: Buffer.from(JSON.stringify(data)),
    given: 1,
    ack: () => void told.push(`ack ${seq}`),
    nak: (ms) => void told.push(`nak ${seq} ${ms}`),
    working: () => void told.push(`working ${seq}`)
  })
  const source: Source = {
    fetch: (max, receive) =>
      Effect.gen(function* () {
        asked.push(max)
        if (waiting.length === 0) yield* Effect.promise(() => new Promise<void>((resolve) => (wake = resolve)))
        for (const one of waiting.splice(0, max)) receive(one)
      }).pipe(Effect.onInterrupt(() => Effect.sync(() => receive(message(99)))))
  }
  const scope = openScope()
  onTestFinished(scope.close)
  await scope.make(
    handleEach({
      source,
      heldMax: HELD_MAX,
      ackWaitMs: 60_000,
      lingerMs,
      callIn: ({ data }) => (data.toString() === "null" ? null : data.length > 2 ? data : undefined),
      handle: ({ seq }) =>
        Effect.suspend(() => {
          const work = Deferred.makeUnsafe<void, Refusal>()
          works.push([seq, work])
          return Deferred.await(work)
        }),
      againMs: againMs ?? (({ seq }) => seq * 10),
      end: () => void told.push("end")
    })
  )
  const give = (...messages: ReadonlyArray<Message>): void => {
    waiting.push(...messages)
    wake()
  }
  const begun = () => works.map(([seq]) => seq)
  const settle = (index: number, how: Effect.Effect<void, Refusal>) => Deferred.doneUnsafe(works[index]![1], how)
  return { told, asked, give, message, begun, settle, close: scope.close }
}

test("a message that calls for nothing is acknowledged, and one of a newer release is left to it", async () => {
  const { told, give, message, begun } = await worked()
  give(message(1, null), message(2, {}))
  await waitFor(() => told.length === 2)
  expect([told, begun()]).toEqual([["ack 1", "nak 2 5000"], []])
})

test("what it gave back first is forgotten first, so that a later one is known to be untouched", () => {
  const { held, now } = holding()
  for (let seq = 1; seq <= 4; seq++) {
    expect(held.hold(plain(seq, 1), now())).toBe(true)
    held.giveBack(plain(seq, 1))
  }
  expect(held.hold(plain(4, 2), now())).toBe(true)
  expect(held.hold(plain(1, 2), now())).toBe(false)
})

test("what it was silent about for as long as the server waits is lost to it", () => {
  const { held, clock, now } = holding()
  const [one, other] = [plain(1, 1), plain(2, 1)]
  held.hold(one, now())
  clock.move(ACK_WAIT_MS - 1)
  expect(held.isLost(one)).toBe(false)
  held.sayWorking()
  clock.move(ACK_WAIT_MS)
  expect(held.isLost(one)).toBe(true)
  // A sign of life that comes too late changes nothing.
  held.sayWorking()
  expect(held.isLost(one)).toBe(true)
  // It lay at the process while that was frozen.
  const askedAt = now()
  clock.move(ACK_WAIT_MS)
  expect([held.hold(other, askedAt), held.isLost(other)]).toEqual([false, true])
})

test("it holds so many, fetches as there is room, and settles each by how its work ended", async () => {
  const { told, asked, give, message, begun, settle } = await worked()
  give(message(1), message(2), message(3))
  await waitFor(() => begun().length === HELD_MAX)
  settle(1, Effect.fail(unavailable("away")))
  await waitFor(() => begun().length === HELD_MAX + 1)
  settle(0, Effect.void)
  await waitFor(() => told.length === 2)
  expect([told, begun(), asked.slice(0, 2)]).toEqual([
    ["nak 2 20", "ack 1"],
    [1, 2, 3],
    [HELD_MAX, 1]
  ])
})

test("a message that comes again while it is held is not begun twice; afterwards it is", async () => {
  const { told, give, message, begun, settle } = await worked()
  give(message(1))
  await waitFor(() => begun().length === 1)
  give(message(1), message(2))
  await waitFor(() => begun().includes(2))
  expect(begun()).toEqual([1, 2])
  settle(0, Effect.void)
  await waitFor(() => told.includes("ack 1"))
  give(message(1))
  await waitFor(() => begun().length === 3)
  expect(told).toEqual(["ack 1"])
})

test("of a failure without a delay nothing is said, and its place is free", async () => {
  const { told, give, message, begun, settle } = await worked({ againMs: () => null })
  give(message(1), message(2), message(3))
  await waitFor(() => begun().length === HELD_MAX)
  settle(0, Effect.die(new Error("fault")))
  await waitFor(() => begun().includes(3))
  expect(told).toEqual([])
})

test("at its end it gives back what still comes, then ends, then waits for what is under way", async () => {
  const { told, asked, give, message, begun, settle, close } = await worked({ lingerMs: 60_000 })
  give(message(1))
  await waitFor(() => begun().length === 1 && asked.length === 2)
  const closed = close()
  await waitFor(() => told.includes("end"))
  settle(0, Effect.void)
  await closed
  expect(told).toEqual(["nak 99 0", "end", "ack 1"])
})

test("what does not end in time is interrupted, and comes again by its delay", async () => {
  const { told, asked, give, message, begun, close } = await worked()
  give(message(1))
  await waitFor(() => begun().length === 1 && asked.length === 2)
  await close()
  expect(told).toEqual(["nak 99 0", "end", "nak 1 10"])
})
