/** What an attempt to say something comes to, at the wire of a stand-in. */
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Bot } from "../../../actors/chat/bot.ts"
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
