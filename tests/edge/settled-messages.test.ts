/** A list of messages that is held back is asked for again by the edge, which has nothing taken meanwhile. */
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { expect, test } from "vitest"
import type { Bus } from "../../edge/bus/bus.ts"
import { type ListPage, Lists } from "../../edge/bus/lists.ts"
import { settledMessages } from "../../edge/message/settled.ts"
import type { Call } from "../../edge/http/call.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import { LIMITS } from "../../schemas/limits.ts"

type Input = Queries["messages"]["input"]
type Output = Queries["messages"]["output"]

/** More than a list is waited for. */
const PATIENCE_MS = 3_000
const PER_PAGE = 20
const ASKED: Input = {
  agent: "hxa",
  box: "inbox",
  with: null,
  unread: false,
  since_id: 3,
  page: 1,
  per_page: PER_PAGE
}
const HELD: Output = { held: 7, total: 0, items: [] }
const SETTLED: Output = { total: 0, items: [] }

/** Of a client that may have one list under way. `beside`: another list of its own. */
const listedBy = (answer: (input: Input) => Output) => {
  const asked: Array<Input> = []
  const queryBytes = (_call: Call, _view: string, input: Input) =>
    Effect.sync(() => {
      asked.push(input)
      return Buffer.from(JSON.stringify(answer(input)))
    })
  const service = { ...LIMITS.service, max_client_listed_records: PER_PAGE }
  const lists = new Lists({ queryBytes } as unknown as Bus, { ...LIMITS, service })
  const call = (): Call => ({ client: "one", wide: null, lent: [] }) as unknown as Call
  const own = call()
  /** The answer is out: the call gives back its share. */
  const answered = Effect.sync(() => {
    for (const give of own.lent) give()
  })
  const beside = Effect.suspend(() => lists.page(call(), "messages", ASKED))
  return {
    asked,
    beside,
    answered,
    list: settledMessages(lists, own, ASKED),
    other: settledMessages(lists, call(), ASKED)
  }
}

/** All of that time passes. */
const inTime = <A, E>(list: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(list)
      yield* TestClock.adjust(PATIENCE_MS)
      return yield* Fiber.join(waiting)
    }).pipe(Effect.provide(TestClock.layer()))
  )

const untilOf = (asked: ReadonlyArray<Input>) => asked.map(({ until }) => until)

test("it is asked for with the message that was the newest at first, until it is listed", async () => {
  const { asked, list } = listedBy(() => (asked.length < 4 ? HELD : SETTLED))
  const found: ListPage = await inTime(list)
  expect([found.total, String(Buffer.from(found.items))]).toEqual([0, "[]"])
  expect(untilOf(asked)).toEqual([null, 7, 7, 7])
})

test("in the end it is asked for as far as it goes", async () => {
  const { asked, list } = listedBy(({ until }) => (until === undefined ? SETTLED : HELD))
  expect((await inTime(list)).held).toBeUndefined()
  expect(untilOf(asked).slice(0, 2)).toEqual([null, 7])
  expect(asked.at(-1)).toEqual(ASKED)
})

test("whoever waits has no list under way, and one that is answered counts", async () => {
  const { asked, beside, list } = listedBy(({ until }) => (until === null ? HELD : SETTLED))
  const first = await Effect.runPromise(
    Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(list)
      yield* TestClock.adjust(1)
      const found = yield* Effect.result(beside)
      yield* Fiber.interrupt(waiting)
      return found
    }).pipe(Effect.provide(TestClock.layer()))
  )
  expect([first._tag, asked.length]).toEqual(["Success", 2])
  const second = await Effect.runPromise(Effect.result(beside))
  expect(second).toMatchObject({ _tag: "Failure", failure: { refusal: { code: "overloaded" } } })
})

test("of two that waited, one waits on until the other is answered", async () => {
  let held = true
  const { answered, list, other } = listedBy(() => (held ? HELD : SETTLED))
  const found = await Effect.runPromise(
    Effect.gen(function* () {
      const both = [yield* Effect.forkChild(list), yield* Effect.forkChild(other)]
      yield* TestClock.adjust(1)
      held = false
      yield* TestClock.adjust(100)
      const first = both.map((one) => one.pollUnsafe()?._tag)
      yield* answered
      yield* TestClock.adjust(PATIENCE_MS)
      return [first, yield* Effect.forEach(both, (one) => Fiber.join(one))]
    }).pipe(Effect.provide(TestClock.layer()))
  )
  expect(found).toMatchObject([
    ["Success", undefined],
    [{ total: 0 }, { total: 0 }]
  ])
})
