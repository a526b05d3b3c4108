/** Owners and agents who reach each other by chat, for tests of that. */
import sharp from "sharp"
import { expect } from "vitest"
import type { Captcha } from "../../schemas/captcha/records.ts"
import type { OwnerMessage } from "../../schemas/owner/records.ts"
import { dataOf } from "../support/outcome.ts"
import { newOwner, ownedBy, type OwnerOf, type TestOwner } from "../support/owner.ts"
import { type TestService, testService } from "../support/service.ts"
import { type Carried } from "../support/sponsorship.ts"
import { Telegram } from "../support/telegram.ts"

export let telegram: Telegram
export let service: TestService

/** Telegram stands in at the wire; two edges and two nodes. */
export const openChatting = async (): Promise<void> => {
  telegram = await Telegram.open()
  service = await testService({
    metrics: true,
    edges: 2,
    actors: 2,
    env: telegram.env,
    limits: {
      "rate_limits.sponsorship.requests": 1000,
      "rate_limits.message.requests": 1000,
      "service.letters.retry_seconds.1": 1,
      "limits.owner.relay_chat.requests": 3
    }
  })
}
export const closeChatting = async (): Promise<void> => {
  await service?.stop()
  await telegram?.stop()
}

/** So long that no figure among the metrics ends with one by chance. */
let chats = 4_815_162_342_001
export const aChat = (): number => chats++

export const codeOf = async (owner: TestOwner): Promise<string> => {
  const page = await owner.client.change("offer_chat", {})
  expect(page.status).toBe(200)
  const [, code = ""] = /<code>\/start ([\w-]+)<\/code>/.exec(page.text) ?? []
  expect(page.text).toContain(`href="https://t.me/stand_in_bot?start=${code}"`)
  return code
}

export interface Chatting extends OwnerOf {
  readonly chat: number
}

export const link = async (owner: TestOwner, chat = aChat()): Promise<number> => {
  telegram.write(chat, `/start ${await codeOf(owner)}`)
  await telegram.heard(chat, "This chat is linked.")
  return chat
}

export const aPair = async (): Promise<Chatting> => {
  const pair = await ownedBy(service.edges, await newOwner(service.edges))
  return { ...pair, chat: await link(pair.owner) }
}

export const ask = async ({ client }: Carried, text: string, more: object = {}): Promise<OwnerMessage> =>
  dataOf(await client.call("POST", "/api/v1/me/owner/message", { body: { text, kind: "question", ...more } }))
export const conversation = async ({ client }: Carried): Promise<ReadonlyArray<OwnerMessage>> =>
  dataOf(await client.call("GET", "/api/v1/me/owner/messages"))
const picture = (): Promise<Buffer> =>
  sharp({ create: { width: 300, height: 150, channels: 3, background: "#88aacc" } })
    .png()
    .toBuffer()
export const captchaOf = async ({ client }: Carried, kind: string, more: object = {}): Promise<Captcha> => {
  const image_base64 = (await picture()).toString("base64")
  return dataOf(await client.call("POST", "/api/v1/me/captcha", { body: { image_base64, kind, ...more } }))
}
