/** Chats go on beside each other, each in its order; what is confirmed was passed on or given up. */
import { Effect, Fiber } from "effect"
import type { Update } from "grammy/types"
import { expect, test } from "vitest"
import type { Listening } from "../../../actors/chat/answers.ts"
import { listens } from "../../../actors/chat/polling.ts"
import { Actors } from "../../../actors/engine/services.ts"
import { unavailable } from "../../../schemas/errors.ts"

const SLOW = 1
const POLL_MS = 5

/** The other side: updates are told until a later poll is beyond them. */
class Wire {
  readonly updates: Array<Update> = []
  readonly said: Array<readonly [chat: number, text: string]> = []
  /** Each poll's. */
  readonly offsets: Array<number> = []
  /** Codes as they came to be passed on, in their order. */
  readonly passed: Array<string> = []
  /** The actors of the slow chat cannot be had. */
  isAway = true
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
      say: (chat: number, text: string) => Effect.sync(() => void this.said.push([chat, text])),
      poll: (offset: number) =>
        Effect.as(Effect.sleep(POLL_MS), {
          type: "updates",
          updates: this.updates.filter(({ update_id }) => update_id >= offset).slice(0, 100)
        }).pipe(Effect.tap(() => Effect.sync(() => this.offsets.push(offset))))
    } as unknown as Listening["bot"]
    const ask = ((_asking: unknown, _op: string, human: string, input: { readonly chat: string }) => {
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
  await expect.poll(() => wire.said.length).toBe(13)
  expect(wire.said.every(([chat, text]) => chat === SLOW && text.includes("could not be passed on"))).toBe(true)
  await expect.poll(() => wire.confirmed).toBe(113)
  await wire.stop()
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
