/** Chats go on beside each other, each in its order; what is confirmed was passed on or given up. */
import { Effect, Fiber } from "effect"
import type { Update } from "grammy/types"
import { expect, test } from "vitest"
import type { Listening } from "../../../actors/chat/answers.ts"
import { listens } from "../../../actors/chat/polling.ts"
import { Actors } from "../../../actors/engine/services.ts"
import { botTexts } from "../../../actors/chat/words.ts"
import { unavailable } from "../../../schemas/errors.ts"

const SLOW = 1
/** No account has linked this chat. */
const STRANGER = 60
const POLL_MS = 5

/** The other side: updates are told until a later poll is beyond them. */
class Wire {
  readonly updates: Array<Update> = []
  readonly said: Array<readonly [chat: number, text: string]> = []
  /** Each poll's. */
  readonly offsets: Array<number> = []
  /** Codes as they came to be passed on, in their order. */
  readonly passed: Array<string> = []
  /** Chats to which a message of the bot never ends. */
  readonly endless = new Set<number>()
  /** The actors of the slow chat cannot be had. */
  isAway = true
  /** No actors can be had. */
  asksFail = false
  private fiber: Fiber.Fiber<unknown> | null = null

  write(chat: number, text: string): number {
    const update_id = 100 + this.updates.length
    const message = { message_id: 1, date: 1, chat: { id: chat, type: "private", first_name: "x" }, text }
    this.updates.push({ update_id, message } as Update)
    return update_id
  }

  listen(patienceMs: number): void {
    const bot = {
      me: Effect.succeed({ id: 5, name: "bot" }),
      say: (chat: number, text: string) =>
        Effect.andThen(
          Effect.sync(() => void this.said.push([chat, text])),
          this.endless.has(chat) ? Effect.never : Effect.void
        ),
      poll: (offset: number) =>
        Effect.as(Effect.sleep(POLL_MS), {
          type: "updates",
          updates: this.updates.filter(({ update_id }) => update_id >= offset).slice(0, 100)
        }).pipe(Effect.tap(() => Effect.sync(() => this.offsets.push(offset))))
    } as unknown as Listening["bot"]
    const ask = ((_asking: unknown, op: string, human: string, input: { readonly chat: string }) => {
      if (this.asksFail) return Effect.fail(unavailable("Not now."))
      if (op === "chat.look") return Effect.succeed({ human: null })
      if (input.chat === String(SLOW) && this.isAway) return Effect.fail(unavailable("Not now."))
      return Effect.sync(() => {
        this.passed.push(human)
        return null
      })
    }) as unknown as (typeof Actors.Service)["ask"]
    const listening = listens({ bot, hashOf: (chat) => chat }, patienceMs)
    this.fiber = Effect.runFork(Effect.provideService(listening, Actors, { ask }))
  }

  async stop(): Promise<void> {
    if (this.fiber !== null) await Effect.runPromise(Fiber.interrupt(this.fiber))
  }

  get confirmed(): number {
    return this.offsets.at(-1) ?? 0
  }
}

/** A code of ours names whom it links. */
const start = (letter: string): string => `/start ${letter.repeat(16)}${"b".repeat(43)}`
const linked = (letter: string): string => `hum_${letter.repeat(16)}`

test("a chat whose actors cannot be had holds up no other, and nothing of it is lost", async () => {
  const wire = new Wire()
  const first = wire.write(SLOW, start("a"))
  wire.write(SLOW, start("c"))
  for (let chat = 2; chat < 40; chat++) wire.write(chat, start("d"))
  wire.listen(600_000)
  await expect.poll(() => wire.passed.length).toBe(38)
  // What comes later is heard too, while the first still waits.
  wire.write(50, start("e"))
  await expect.poll(() => wire.passed.at(-1)).toBe(linked("e"))
  expect(new Set(wire.offsets)).toEqual(new Set([0, first]))
  wire.isAway = false
  await expect.poll(() => wire.passed.slice(-2)).toEqual([linked("a"), linked("c")])
  await expect.poll(() => wire.confirmed).toBe(100 + wire.updates.length)
  await wire.stop()
  // Once each.
  expect(wire.passed).toHaveLength(wire.updates.length)
  expect(wire.said).toHaveLength(wire.updates.length)
})

test("what cannot be passed on in its time is given up, and said to be, as is what one chat sends too much of", async () => {
  const wire = new Wire()
  for (let time = 0; time < 13; time++) wire.write(SLOW, start("a"))
  wire.listen(0)
  await expect.poll(() => wire.confirmed).toBe(113)
  await wire.stop()
  // Once for all of them.
  expect(wire.said).toEqual([[SLOW, botTexts.notPassedOn]])
})

test("who writes very much gets few answers, and delays nobody", async () => {
  const wire = new Wire()
  for (let time = 0; time < 600; time++) wire.write(STRANGER, "hi")
  wire.write(2, start("d"))
  // Each message to the stranger takes for ever.
  wire.endless.add(STRANGER)
  wire.listen(600_000)
  await expect.poll(() => wire.passed).toEqual([linked("d")])
  await wire.stop()
  expect(wire.said.filter(([chat]) => chat === STRANGER).length).toBeLessThanOrEqual(2)
})

test("who writes very much is answered once in a while, however fast the answers are sent", async () => {
  const wire = new Wire()
  for (let time = 0; time < 600; time++) wire.write(STRANGER, time % 2 === 0 ? "hi" : "/start")
  wire.listen(600_000)
  await expect.poll(() => wire.confirmed).toBe(700)
  await wire.stop()
  const texts = wire.said.map(([, text]) => text)
  expect(texts).toHaveLength(new Set(texts).size)
  expect(texts).toContain(botTexts.welcome)
})

test("a chat whose actors cannot be had hides nobody behind a full poll", async () => {
  const wire = new Wire()
  wire.write(SLOW, start("a"))
  for (let time = 0; time < 300; time++) wire.write(STRANGER, "hi")
  wire.write(2, start("d"))
  wire.listen(600_000)
  await expect.poll(() => wire.passed).toEqual([linked("d")])
  // It still waits here.
  wire.isAway = false
  await expect.poll(() => wire.passed).toEqual([linked("d"), linked("a")])
  await wire.stop()
})

test("a full poll of chats that all wait confirms none of them", async () => {
  const wire = new Wire()
  wire.asksFail = true
  for (let chat = 100; chat < 250; chat++) wire.write(chat, start("a"))
  wire.listen(600_000)
  await expect.poll(() => wire.offsets.length).toBeGreaterThan(3)
  await wire.stop()
  expect(wire.confirmed).toBe(100)
})

test("who ends before it was passed on has not confirmed it: the next one hears it", async () => {
  const wire = new Wire()
  const first = wire.write(SLOW, start("a"))
  wire.listen(600_000)
  await expect.poll(() => wire.offsets.length).toBeGreaterThan(1)
  await wire.stop()
  expect(wire.confirmed).toBeLessThanOrEqual(first)
  wire.isAway = false
  wire.listen(600_000)
  await expect.poll(() => wire.passed).toEqual([linked("a")])
  await wire.stop()
})
