/** What is heard in a chat, and what is said of it, whatever the actors answer. */
import { Effect, Exit } from "effect"
import type { Update } from "grammy/types"
import { describe, expect, test } from "vitest"
import { handleUpdate, type Hearing, type Listening } from "../../../actors/chat/answers.ts"
import { chatMessageOf, contentOf, valuesOf } from "../../../actors/chat/message.ts"
import { Notices } from "../../../actors/chat/notices.ts"
import { Actors } from "../../../actors/engine/services.ts"
import { type Refusal, refusal, unavailable } from "../../../schemas/errors.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"

const BOT = 5
const CHAT = 7
const HUMAN = "hum_aaaaaaaaaaaaaaaa"

interface World {
  readonly asked: Array<string>
  readonly said: Array<string>
  readonly settled: Array<number>
  readonly outcome: "done" | "again"
}

/** `refusing`: what an operation is refused with. */
const hear = async (what: object, refusing: Readonly<Record<string, Refusal>> = {}): Promise<World> => {
  const world = { asked: [] as Array<string>, said: [] as Array<string>, settled: [] as Array<number> }
  const note = (list: Array<string>, text: string) => Effect.sync(() => void list.push(text))
  const bot = {
    say: (_to: number, text: string) => note(world.said, text),
    pressed: (_query: string, text: string) => note(world.said, text),
    settled: (_to: number, message: number) => Effect.sync(() => void world.settled.push(message))
  } as unknown as Listening["bot"]
  const data: Readonly<Record<string, unknown>> = {
    "chat.look": { human: HUMAN, seq: 1 },
    "limit.draw": { granted: 1, limit: 1, remaining: 1, resets_at: 0 },
    "owner_message.look": { agent: "hx1", human: null, readers: [HUMAN] },
    "owner_message.words": { text: "May I?", options: ["yes", "no"] }
  }
  const ask = ((_asking: unknown, op: string) => {
    world.asked.push(op)
    const refused = refusing[op]
    return refused === undefined ? Effect.succeed(data[op] ?? null) : Effect.fail(refused)
  }) as unknown as (typeof Actors.Service)["ask"]
  const notices = new Notices(machineClock)
  const listening: Hearing = { bot, hashOf: (chat) => `hash of ${chat}`, notices }
  const update = { update_id: 1, ...what } as Update
  const exit = await Effect.runPromiseExit(Effect.provideService(handleUpdate(listening, BOT, update), Actors, { ask }))
  return { ...world, outcome: Exit.isSuccess(exit) ? "done" : "again" }
}

const chat = { id: CHAT, type: "private" }
const from = { id: CHAT, is_bot: false, first_name: "Grace" }
const ours = { message_id: 9, date: 1, chat, from: { id: BOT, is_bot: true, first_name: "Hub" } }
const written = (text: string, more: object = {}) => ({
  message: { message_id: 10, date: 1, chat, from, text, ...more }
})
const replied = (to: string, text: string) => written(text, { reply_to_message: { ...ours, text: to } })
const pressed = (data: string) => ({
  callback_query: { id: "1", from, chat_instance: "1", data, message: { ...ours, text: "Message 4 from ada" } }
})

describe("a button", () => {
  test("is an answer, and goes", async () => {
    const { asked, said, settled } = await hear(pressed("m:4:1"))
    expect(asked.at(-1)).toBe("owner.answer")
    expect([said, settled]).toEqual([["Your agent has it: no"], [9]])
  })

  test("pressed too often is said to be, and stays", async () => {
    const refused = { "captcha.answer": refusal("rate_limited", "Too many answers at once.") }
    expect(await hear(pressed("c:4"), refused)).toMatchObject({ said: ["Too many answers at once."], settled: [] })
  })

  test("of what is over goes", async () => {
    const refused = { "captcha.answer": refusal("captcha_not_pending", "It is answered.") }
    expect(await hear(pressed("c:4"), refused)).toMatchObject({ said: ["It is over already."], settled: [9] })
  })

  test("that cannot be passed on is heard again, and nothing is said", async () => {
    const world = await hear(pressed("m:4:0"), { "owner.answer": unavailable("A moment.") })
    expect(world).toMatchObject({ outcome: "again", said: [], settled: [] })
  })

  test.each(["", "m:4", "m:4:7", "x:1", "m:0:1", "m:4:1:2"])("%j is none", async (data) => {
    const { asked, said } = await hear(pressed(data))
    expect(asked).not.toContain("owner.answer")
    expect(said).toEqual([expect.stringContaining("not open")])
  })
})

describe("a reply", () => {
  test.each([
    ["Message 4 from ada\n\nMay I?", "owner.answer"],
    ["Captcha 4 of ada\n\nReply", "captcha.answer"]
  ])("to %j is its answer", async (to, op) => {
    const { asked, said } = await hear(replied(to, "words"))
    expect([asked.at(-1), said]).toEqual([op, ["Your agent has it."]])
  })

  test.each(["News of ada", "x\nMessage 4 from ada", "Message four from ada", "Message 04 from ada", "Message 4"])(
    "to %j is none",
    async (to) => {
      const { asked, said } = await hear(replied(to, "words"))
      expect(asked).toEqual(["chat.look", "human.in_chat"])
      expect(said).toEqual([expect.stringContaining("Reply to a message")])
    }
  )

  test("without words, or with too many, is refused", async () => {
    for (const text of ["  ", "x".repeat(4001)])
      expect((await hear(replied("Message 4 from ada", text))).said).toEqual([expect.stringContaining("1 to 4000")])
  })
})

describe("what the bot says", () => {
  const of = { handle: "ada", page: "https://hub.example/owner/agents/ada" }

  test("begins with a line of ours, whatever the agent writes, and fits in a message", () => {
    for (const text of ["Message 99 from ada", "\n\nMessage 99 from ada", "🦊".repeat(4000), "x".repeat(4000)]) {
      const { text: said } = chatMessageOf({ type: "question", number: 7, text, options: [] }, of)
      expect(said.split("\n")[0]).toBe("Message 7 from ada")
      expect(said.length).toBeLessThanOrEqual(4096)
      const caption = chatMessageOf({ type: "captcha", number: 7, kind: "taps", context: text }, of).text
      expect(caption.split("\n")[0]).toBe("Captcha 7 of ada")
      expect(caption.length).toBeLessThanOrEqual(1024)
    }
  })

  test("goes through a letter as it is", () => {
    const content = chatMessageOf({ type: "question", number: 7, text: 'a\n"b"', options: ["1", "2"] }, of)
    expect(contentOf(valuesOf(content))).toEqual(content)
    expect(chatMessageOf({ type: "event", event: "message.received" }, of).text).not.toContain("undefined")
  })
})
