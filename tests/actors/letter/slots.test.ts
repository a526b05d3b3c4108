/** How many attempts a node has under way; and letters as files. */
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Deferred, Effect, Fiber } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { fileTransport } from "../../../actors/kit/mailing/file-transport.ts"
import { Slots } from "../../../actors/letter/slots.ts"
import { testFolder } from "../../harness/index.ts"
import { message, sending } from "./letters.ts"

describe("slots", () => {
  const clocked = (max: number) => {
    let now = 0
    return { slots: new Slots(max, () => now), pass: (ms: number) => (now += ms) }
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

  test("are held by one domain up to the half, until a letter to it has ended", async () => {
    const { slots, pass } = clocked(4)
    const done = Effect.runSync(Deferred.make<string>())
    const begun = (letter: string, domain: string): boolean => {
      const may = slots.reserve(letter, 10) && slots.mayGoTo(letter, domain)
      if (!may) slots.giveBack(letter)
      return may
    }
    expect(["a", "b", "c"].map((letter) => begun(letter, "slow.example"))).toEqual([true, true, false])
    const sending = ["a", "b"].map((letter) =>
      Effect.runFork(slots.using(letter, Deferred.await(done), Effect.succeed("no room")))
    )
    pass(1000)
    expect([begun("c", "slow.example"), begun("d", "well.example"), begun("e", "other.example")]).toEqual([
      false,
      true,
      true
    ])
    pass(1000)
    Effect.runSync(Deferred.succeed(done, "sent"))
    for (const one of sending) expect(await Effect.runPromise(Fiber.join(one))).toBe("sent")
    expect(begun("c", "slow.example")).toBe(true)
  })

  test("are held for as long as the attempt takes, by one attempt of a letter", async () => {
    const { slots, pass } = clocked(1)
    const done = Effect.runSync(Deferred.make<string>())
    const attempt = (letter: string) => slots.using(letter, Deferred.await(done), Effect.succeed("no room"))
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
    const held = Effect.runFork(slots.using("a", Deferred.await(done), Effect.succeed("no room")))
    slots.reserve("b", 1000)
    const ended = Effect.runFork(slots.ended)
    expect(slots.reserve("c", 10)).toBe(false)
    expect(await Effect.runPromise(slots.using("b", Deferred.await(done), Effect.succeed("no room")))).toBe("no room")
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
