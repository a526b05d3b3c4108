/** What an attempt to say something comes to, at the wire of a stand-in. */
import { Effect, Fiber } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Bot, type Picture } from "../../../actors/chat/bot.ts"
import { waitFor } from "../../harness/index.ts"
import { Telegram, TOKEN } from "../../support/telegram.ts"

let telegram: Telegram
let bot: Bot
beforeAll(async () => {
  telegram = await Telegram.open()
  bot = new Bot({ token: TOKEN, url: telegram.url })
})
afterAll(() => telegram?.stop())

const send = () => Effect.runPromise(bot.send({ to: "7", text: "x", buttons: [], picture: null }))

test("who is told to wait hears for how long, and of other faults that they pass", async () => {
  telegram.faults.push(429, 500)
  expect(await send()).toEqual({ type: "passing", reason: "the chat's server says 429", retry_after: 1 })
  expect(await send()).toEqual({ type: "passing", reason: "the chat's server says 500" })
  expect(await send()).toMatchObject({ type: "sent" })
})

const PICTURE: Picture = { bytes: new Uint8Array(8), type: "png" }

test.each([null, PICTURE])("an attempt that is cut short closes its connection", async (picture) => {
  telegram.faults.push("silent")
  const attempt = Effect.runFork(bot.send({ to: "7", text: "x", buttons: [], picture }))
  await waitFor(() => Promise.resolve(telegram.silent === 1))
  await Effect.runPromise(Fiber.interrupt(attempt))
  // The bot itself gives up after twenty seconds.
  await waitFor(() => Promise.resolve(telegram.silent === 0))
})
