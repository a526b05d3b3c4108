/** How many attempts a node has under way; and letters as files. */
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { fileTransport } from "../../../actors/kit/mailing/file-transport.ts"
import { Slots, type Strangers } from "../../../actors/letter/slots.ts"
import { LETTER_LIMITS } from "../../../schemas/letter/limits.ts"
import { testFolder, waitFor } from "../../harness/index.ts"
import { registrableDomainOf } from "../../../actors/kit/registrable-domain.ts"
import { message, sending } from "./letters.ts"

const { slow_ms: SLOW_MS, rest_max_ms: REST_MAX_MS } = LETTER_LIMITS
const VERIFYING: Strangers = { name: "verify", parts: 2, until: "proved" }
const RESETTING: Strangers = { name: "reset", parts: 4, until: "proved" }
const PUSHING: Strangers = { name: "push", parts: 2, until: "prompt" }

/** The letters that a person may have before the last slots are kept from it for a while. */
const BURST = 6
/** The longest time for which a timer is put off. */
const PUT_OFF_MS = 10_000
/** A letter that waits for so many others is not served at all. */
const ENDLESS = 1000

interface Contest {
  readonly max: number
  readonly greedy: number
  readonly heldMs: number
  /** Letters of the modest person. */
  readonly letters: number
  readonly place: string | null
  /** Attempts that end before the modest person comes. */
  readonly before?: number
  /** Attempts that end between two tries of the modest person. */
  readonly every?: number
}

describe("slots", () => {
  const clocked = (max: number, figures: Partial<Record<keyof typeof LETTER_LIMITS, number>> = {}) => {
    let now = 0
    return { slots: new Slots(max, () => now, { ...LETTER_LIMITS, ...figures }), pass: (ms: number) => (now += ms) }
  }

  test("are given as long as there are any, and come back with time", () => {
    const { slots, pass } = clocked(2)
    expect([slots.reserve("a", 10), slots.reserve("b", 20), slots.reserve("c", 10)]).toEqual([true, true, false])
    expect(slots.reserve("a", 10)).toBe(true)
    pass(10)
    expect([slots.reserve("c", 10), slots.reserve("d", 10)]).toEqual([true, false])
    slots.giveBack("c")
    expect(slots.reserve("d", 10)).toBe(true)
  })

  /** Letters that go to places, each until its server has answered. */
  const going = (max: number) => {
    const { slots, pass } = clocked(max)
    const answers = new Map<string, Deferred.Deferred<string>>()
    const begun = (
      letter: string,
      place: string,
      strangers: Strangers | null = null,
      person: string | null = null
    ): boolean => {
      if (!slots.reserve(letter, 10, person)) return false
      if (!slots.mayGoTo(letter, place, strangers)) {
        slots.giveBack(letter)
        return false
      }
      const answer = Effect.runSync(Deferred.make<string>())
      answers.set(letter, answer)
      Effect.runFork(slots.using(letter, () => Deferred.await(answer), Effect.succeed("no room")))
      return true
    }
    const answered = async (letter: string): Promise<void> => {
      const answer = answers.get(letter)
      if (answer === undefined) throw new Error(`${letter} has no slot`)
      Effect.runSync(Deferred.succeed(answer, "sent"))
      await waitFor(() => Promise.resolve(!slots.has(letter)))
    }
    return { begun, answered, pass }
  }

  test("are held by one place up to the half, once its server has answered in time", async () => {
    const { begun, answered } = going(4)
    expect(["a", "b"].map((letter) => begun(letter, "well.example", VERIFYING))).toEqual([true, false])
    await answered("a")
    expect(["b", "c", "d"].map((letter) => begun(letter, "well.example", VERIFYING))).toEqual([true, true, false])
    expect(begun("e", "other.example")).toBe(true)
  })

  test("are not all held by places that nobody knows yet, however many there are", async () => {
    const { begun, answered } = going(4)
    expect(begun("a", "well.example")).toBe(true)
    await answered("a")
    const flood = (by: Strangers) =>
      Array.from({ length: 16 }, (_, index) => begun(`${by.name}${index}`, `${by.name}${index}.example`, by)).filter(
        Boolean
      )
    expect(flood(VERIFYING)).toHaveLength(2)
    expect(flood(RESETTING)).toHaveLength(1)
    expect([begun("b", "well.example", VERIFYING), begun("b", "well.example")]).toEqual([false, true])
  })

  test("are held by letters that strangers cause up to their share, however fast their places are", async () => {
    const { begun, answered } = going(8)
    for (const place of ["one", "two"]) {
      begun(place, `${place}.example`, VERIFYING)
      await answered(place)
    }
    const flood = Array.from({ length: 10 }, (_, index) =>
      begun(`x${index}`, `${index % 2 === 0 ? "one" : "two"}.example`, VERIFYING)
    )
    expect(flood.filter(Boolean)).toHaveLength(4)
    expect(begun("reset", "well.example", RESETTING)).toBe(true)
  })

  test.each([VERIFYING, PUSHING])("are held by places that answer late up to a quarter together: $name", async (by) => {
    const { begun, answered, pass } = going(8)
    for (const place of ["one", "two"]) {
      begun(place, `${place}.example`, by)
      pass(9500)
      await answered(place)
    }
    const flood = Array.from({ length: 10 }, (_, index) =>
      begun(`x${index}`, `${index % 2 === 0 ? "one" : "two"}.example`, by)
    )
    expect(flood.filter(Boolean)).toHaveLength(2)
    expect(begun("another", "well.example", by)).toBe(true)
  })

  test("are held by the push messages to one person up to a quarter, and by prompt services as there are any", async () => {
    const { begun, answered } = going(8)
    for (const place of ["one", "two"]) {
      begun(place, `${place}.example`, PUSHING)
      await answered(place)
    }
    const to = (person: string) =>
      Array.from({ length: 10 }, (_, index) =>
        begun(`${person}${index}`, `${index % 2 === 0 ? "one" : "two"}.example`, PUSHING, person)
      ).filter(Boolean)
    expect(["a", "b", "c", "d", "e"].map((person) => to(person).length)).toEqual([2, 2, 2, 2, 0])
  })

  /**
   * Greedy people who always have letters waiting, and who take each free slot before anybody else may try. A modest
   * person has some letters, one after the other. Answers how many attempts end while each of them waits.
   */
  const contest = (options: Contest): Promise<ReadonlyArray<number>> => {
    const run = Effect.gen(function* () {
      const { max, greedy, heldMs, letters, place, before = 0, every = 1 } = options
      const now = yield* Effect.map(Clock.Clock, (clock) => () => clock.currentTimeMillisUnsafe())
      const slots = new Slots(max, now, LETTER_LIMITS)
      const underWay: Array<{ answer: Deferred.Deferred<void>; fiber: Fiber.Fiber<void> }> = []
      let written = 0
      const begun = Effect.fnUntraced(function* (person: string) {
        const letter = String(written++)
        if (!slots.reserve(letter, 10, person)) return false
        if (place !== null && !slots.mayGoTo(letter, place, PUSHING)) {
          slots.giveBack(letter)
          return false
        }
        const answer = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(
          slots.using(letter, () => Deferred.await(answer), Effect.void),
          { startImmediately: true }
        )
        underWay.push({ answer, fiber })
        return true
      })
      const fill = Effect.gen(function* () {
        for (let person = 0; person < greedy; person++) while (yield* begun(`greedy ${person}`));
      })
      const oneEnds = Effect.gen(function* () {
        const first = underWay.shift()
        yield* TestClock.adjust(heldMs)
        // The only slot may be kept for the modest person.
        if (first !== undefined) {
          yield* Deferred.succeed(first.answer, undefined)
          yield* Fiber.join(first.fiber)
        }
        yield* fill
      })
      yield* fill
      for (let times = 0; times < before; times++) yield* oneEnds
      const waits: Array<number> = []
      for (let index = 0; index < letters; index++) {
        let ends = 0
        while (ends < ENDLESS && !(yield* begun("modest"))) {
          for (let times = 0; times < every; times++) yield* oneEnds
          ends += every
        }
        waits.push(ends)
        if (ends < ENDLESS) yield* oneEnds
      }
      yield* Effect.forEach(underWay, ({ fiber }) => Fiber.interrupt(fiber))
      return waits
    })
    return Effect.runPromise(Effect.provide(run, TestClock.layer()))
  }

  test("come soon to a person with few letters, however many letters others have waiting", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          max: fc.integer({ min: 1, max: 20 }),
          greedy: fc.integer({ min: 1, max: 40 }),
          heldMs: fc.integer({ min: 1, max: SLOW_MS - 1 }),
          every: fc.integer({ min: 1, max: 20 }),
          place: fc.constantFrom(null, "well.example")
        }),
        async (options) => {
          const every = Math.max(1, Math.min(options.every, Math.floor(PUT_OFF_MS / options.heldMs)))
          const [waited = ENDLESS] = await contest({ ...options, every, letters: 1 })
          expect(waited).toBeLessThanOrEqual(options.max + BURST * options.greedy + 3 * every)
        }
      ),
      // The place's share grows and shrinks with its pace, in step with the person's tries.
      { numRuns: 100, examples: [[{ max: 10, greedy: 40, heldMs: 1000, every: 6, place: "well.example" }]] }
    )
  })

  test.each([null, "well.example"])("come at once if the others have had many before: %s", async (place) => {
    const [first, ...further] = await contest({ max: 8, greedy: 12, heldMs: 50, letters: 4, place, before: 400 })
    expect(first).toBe(0)
    expect(Math.max(...further)).toBeLessThanOrEqual(8)
  })

  test("are not kept from a person while most are free", () => {
    const { slots } = clocked(8)
    const attempt = (letter: string) => {
      if (!slots.reserve(letter, 10, "busy")) return false
      Effect.runSync(slots.using(letter, () => Effect.void, Effect.void))
      return true
    }
    expect(Array.from({ length: 100 }, (_, index) => attempt(String(index))).every(Boolean)).toBe(true)
  })

  test("of the last half come again to a person who has waited", () => {
    const { slots, pass } = clocked(2)
    expect(slots.reserve("other", 1_000_000, "other")).toBe(true)
    const attempt = (letter: string) => {
      if (!slots.reserve(letter, 10, "busy")) return false
      Effect.runSync(slots.using(letter, () => Effect.sync(() => void pass(100)), Effect.void))
      return true
    }
    const burst = (name: string) => Array.from({ length: 8 }, (_, index) => attempt(`${name} ${index}`)).filter(Boolean)
    expect(burst("first")).toHaveLength(2)
    pass(REST_MAX_MS)
    expect(burst("second")).toHaveLength(2)
  })

  test.each([
    [{}, 2],
    [{ rest_ms: 0, rest_times: 0 }, 8],
    [{ rest_ms: 0, rest_times: 101 }, 1],
    [{ last_slot_rest_ms: 30_000 }, 5],
    [{ rest_max_ms: 10_000 }, 8]
  ] as const)("of the last half come after a rest by the limits: %j", (figures, expected) => {
    const { slots, pass } = clocked(2, figures)
    expect(slots.reserve("other", 1_000_000, "other")).toBe(true)
    const attempt = (letter: string) => {
      if (!slots.reserve(letter, 10, "busy")) return false
      Effect.runSync(slots.using(letter, () => Effect.sync(() => void pass(100)), Effect.void))
      return true
    }
    expect(Array.from({ length: 8 }, (_, index) => attempt(String(index))).filter(Boolean)).toHaveLength(expected)
  })

  test("are there for a person who has proved an address while strangers wait", () => {
    const { begun } = going(4)
    const strangers = Array.from({ length: 16 }, (_, index) => begun(`v${index}`, `e${index}.example`, VERIFYING))
    expect(strangers.filter(Boolean)).toHaveLength(2)
    expect(begun("a", "elsewhere.example")).toBe(true)
  })

  test("are held by places that were slow up to a quarter together, until they answer in time again", async () => {
    const { begun, answered, pass } = going(8)
    for (const name of ["one", "two", "three"]) {
      expect(begun(name, `${name}.example`)).toBe(true)
      pass(SLOW_MS)
      await answered(name)
    }
    expect(["one", "two", "three"].map((name) => begun(`${name} again`, `${name}.example`))).toEqual([
      true,
      true,
      false
    ])
    await answered("one again")
    expect([begun("three again", "three.example"), begun("one", "one.example")]).toEqual([true, true])
  })

  test("are held by a place that does not answer until it counts as slow; beyond the slow ones' share it is hurried", async () => {
    const run = Effect.gen(function* () {
      const slots = new Slots(
        4,
        yield* Effect.map(Clock.Clock, (clock) => () => clock.currentTimeMillisUnsafe()),
        LETTER_LIMITS
      )
      const go = (letter: string, by: Strangers | null) =>
        slots.reserve(letter, 10) && slots.mayGoTo(letter, `${letter}.example`, by)
      /** An attempt at a server that never answers. */
      const silent = (letter: string) =>
        Effect.forkChild(slots.using(letter, (hurry) => Effect.as(hurry, "hurried"), Effect.succeed("no room")))
      expect(["a", "b", "c"].map((letter) => go(letter, VERIFYING))).toEqual([true, true, false])
      slots.giveBack("c")
      const attempts = yield* Effect.forEach(["a", "b"], silent)
      yield* TestClock.adjust(SLOW_MS - 1)
      expect(attempts.map((one) => one.pollUnsafe())).toEqual([undefined, undefined])
      expect(go("c", VERIFYING)).toBe(false)
      slots.giveBack("c")
      yield* TestClock.adjust(1)
      expect([attempts[0]?.pollUnsafe(), yield* Fiber.join(attempts[1] ?? (yield* silent("none")))]).toEqual([
        undefined,
        "hurried"
      ])
      // The silent one still counts among the strangers.
      expect(["c", "d"].map((letter) => go(letter, VERIFYING))).toEqual([true, false])
      slots.giveBack("d")
      // Those that were slow have their own share, of one.
      expect([go("b", null), go("d", null)]).toEqual([false, true])
      yield* Effect.forEach(attempts, Fiber.interrupt)
    })
    await Effect.runPromise(Effect.provide(run, TestClock.layer()))
  })

  test("are held beyond the slow ones' share until the hurry comes, where it comes later", async () => {
    const run = Effect.gen(function* () {
      const now = yield* Effect.map(Clock.Clock, (clock) => () => clock.currentTimeMillisUnsafe())
      const slots = new Slots(4, now, LETTER_LIMITS, 5 * SLOW_MS)
      const attempts = yield* Effect.forEach(["a", "b"], (letter) => {
        expect(slots.reserve(letter, 10) && slots.mayGoTo(letter, `${letter}.example`, VERIFYING)).toBe(true)
        return Effect.forkChild(slots.using(letter, (hurry) => Effect.as(hurry, "hurried"), Effect.succeed("no room")))
      })
      const ended = () => attempts.map((one) => one.pollUnsafe() !== undefined)
      yield* TestClock.adjust(5 * SLOW_MS - 1)
      expect(ended()).toEqual([false, false])
      yield* TestClock.adjust(1)
      expect(ended()).toEqual([false, true])
      yield* Effect.forEach(attempts, Fiber.interrupt)
    })
    await Effect.runPromise(Effect.provide(run, TestClock.layer()))
  })

  test("are held for as long as the attempt takes, by one attempt of a letter", async () => {
    const { slots, pass } = clocked(1)
    const done = Effect.runSync(Deferred.make<string>())
    const attempt = (letter: string) => slots.using(letter, () => Deferred.await(done), Effect.succeed("no room"))
    expect(slots.reserve("a", 10)).toBe(true)
    const first = Effect.runFork(attempt("a"))
    pass(1000)
    slots.giveBack("a")
    expect(slots.reserve("b", 10)).toBe(false)
    expect([await Effect.runPromise(attempt("a")), await Effect.runPromise(attempt("b"))]).toEqual([
      "no room",
      "no room"
    ])
    Effect.runSync(Deferred.succeed(done, "sent"))
    expect(await Effect.runPromise(Fiber.join(first))).toBe("sent")
    expect(slots.reserve("b", 10)).toBe(true)
  })

  test("end when those that are held are free, and none is given meanwhile", async () => {
    const { slots } = clocked(2)
    const done = Effect.runSync(Deferred.make<string>())
    const held = Effect.runFork(slots.using("a", () => Deferred.await(done), Effect.succeed("no room")))
    slots.reserve("b", 1000)
    const ended = Effect.runFork(slots.ended)
    expect(slots.reserve("c", 10)).toBe(false)
    expect(await Effect.runPromise(slots.using("b", () => Deferred.await(done), Effect.succeed("no room")))).toBe(
      "no room"
    )
    expect(ended.pollUnsafe()).toBe(undefined)
    Effect.runSync(Deferred.succeed(done, "sent"))
    await Effect.runPromise(Fiber.join(held))
    await Effect.runPromise(Fiber.join(ended))
  })

  test("end at once where none is held", async () => {
    const { slots } = clocked(2)
    slots.reserve("a", 1000)
    await Effect.runPromise(slots.ended)
  })
})

describe("letters as files", () => {
  let folder = ""
  beforeAll(async () => {
    folder = await testFolder("outbox")
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test("are whole, for nobody else, and written again in their own place", async () => {
    const outbox = join(folder, "one", "outbox")
    const letter = await message()
    for (let times = 0; times < 2; times++)
      expect(await sending(fileTransport(outbox), letter)).toEqual({ type: "sent", message_id: letter.messageId })
    expect(await readdir(outbox)).toEqual([`${letter.id}.eml`])
    const file = join(outbox, `${letter.id}.eml`)
    expect((await readFile(file)).equals(Buffer.from(letter.bytes))).toBe(true)
    expect([(await stat(file)).mode & 0o777, (await stat(outbox)).mode & 0o777]).toEqual([0o600, 0o700])
  })

  test("wait where they cannot be written, and leave nothing behind", async () => {
    const taken = join(folder, "two")
    await writeFile(taken, "")
    expect(await sending(fileTransport(taken), await message())).toEqual({
      type: "passing",
      reason: "the outbox cannot be written to"
    })
    const letter = await message()
    const outbox = join(folder, "three")
    await mkdir(join(outbox, `${letter.id}.eml`, "in-the-way"), { recursive: true })
    expect(await sending(fileTransport(outbox), letter)).toMatchObject({ type: "passing" })
    expect(await readdir(outbox)).toEqual([`${letter.id}.eml`])
  })
})

test.each([
  ["v1@e1.evil.example", "evil.example"],
  ["v2@E2.Evil.Example", "evil.example"],
  ["ada@mail.people.co.uk", "people.co.uk"],
  ["ada@people.co.uk", "people.co.uk"],
  ["one@a.duckdns.org", "duckdns.org"],
  ["root@localhost", "localhost"]
])("%s goes to %s", (address, place) => {
  expect(registrableDomainOf(address.slice(address.lastIndexOf("@") + 1))).toBe(place)
})
