/** Owners are reached by chat, over two edges and two nodes (contract 10, 20): Telegram stands in at the wire. */
import sharp from "sharp"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Captcha } from "../../schemas/captcha/records.ts"
import type { OwnerMessage, OwnerReached } from "../../schemas/owner/records.ts"
import { waitFor } from "../harness/index.ts"
import { noticeOf } from "../html/owner/client.ts"
import { lettersTo, tokensTo } from "../support/outbox.ts"
import { dataOf } from "../support/outcome.ts"
import { newOwner, ownedBy, type OwnerOf, type TestOwner } from "../support/owner.ts"
import { foundIn } from "../support/planted.ts"
import { type TestService, testService } from "../support/service.ts"
import { anAgent, type Carried } from "../support/sponsorship.ts"
import { Telegram } from "../support/telegram.ts"

let telegram: Telegram
let service: TestService

beforeAll(async () => {
  telegram = await Telegram.open()
  service = await testService({
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
})
afterAll(async () => {
  await service?.stop()
  await telegram?.stop()
})

let chats = 700_000_001
const aChat = (): number => chats++

const codeOf = async (owner: TestOwner): Promise<string> => {
  const page = await owner.client.change("offer_chat", {})
  expect(page.status).toBe(200)
  const [, code = ""] = /<code>\/start ([\w-]+)<\/code>/.exec(page.text) ?? []
  expect(page.text).toContain(`href="https://t.me/stand_in_bot?start=${code}"`)
  return code
}

interface Chatting extends OwnerOf {
  readonly chat: number
}

const link = async (owner: TestOwner, chat = aChat()): Promise<number> => {
  telegram.write(chat, `/start ${await codeOf(owner)}`)
  await telegram.heard(chat, "This chat is linked.")
  return chat
}

const aPair = async (): Promise<Chatting> => {
  const pair = await ownedBy(service.edges, await newOwner(service.edges))
  return { ...pair, chat: await link(pair.owner) }
}

const ask = async ({ client }: Carried, text: string, more: object = {}): Promise<OwnerMessage> =>
  dataOf(await client.call("POST", "/api/v1/me/owner/message", { body: { text, kind: "question", ...more } }))
const conversation = async ({ client }: Carried): Promise<ReadonlyArray<OwnerMessage>> =>
  dataOf(await client.call("GET", "/api/v1/me/owner/messages"))
const picture = (): Promise<Buffer> =>
  sharp({ create: { width: 300, height: 150, channels: 3, background: "#88aacc" } })
    .png()
    .toBuffer()
const captchaOf = async ({ client }: Carried, kind: string, more: object = {}): Promise<Captcha> => {
  const image_base64 = (await picture()).toString("base64")
  return dataOf(await client.call("POST", "/api/v1/me/captcha", { body: { image_base64, kind, ...more } }))
}

describe("a question", () => {
  it("comes with buttons, and a press is the answer that the held request waits for", async () => {
    const { agent, owner, chat } = await aPair()
    const held = ask(agent, "May I?", { options: ["yes, please", "no"], wait_seconds: 25 })
    const said = await telegram.heard(chat, "May I?")
    expect(said.text.split("\n")[0]).toMatch(new RegExp(`^Message \\d+ from ${agent.agent.handle}$`))
    expect(said.buttons.map(({ text }) => text)).toEqual(["yes, please", "no"])
    telegram.press(said, said.buttons[0]?.callback_data ?? "")
    const message = await held
    expect(message.delivered_to).toEqual([{ human_id: owner.id, state: "queued" }])
    expect(message.answer?.text).toBe("yes, please")
    expect(message.answer?.owner?.human_id).toBe(owner.id)
    await waitFor(() => Promise.resolve(telegram.settled.includes(said.message_id) || null), { describe: "no buttons" })
    expect(telegram.pressed).toContain("Your agent has it: yes, please")
    expect(telegram.to(chat).filter(({ text }) => text.includes("May I?")).length).toBe(1)
  })

  it("is answered by a reply in words, which is an answer once, however often it is told", async () => {
    const { agent, chat } = await aPair()
    const held = ask(agent, "Which one?", { wait_seconds: 25 })
    const said = await telegram.heard(chat, "Which one?")
    telegram.reply(said, "the <b>second</b>\nof them")
    expect((await held).answer?.text).toBe("the <b>second</b>\nof them")
    await telegram.heard(chat, "Your agent has it.")
    expect((await conversation(agent)).filter(({ direction }) => direction === "to_agent").length).toBe(1)
  })

  it("of 4,000 signs is cut, with the way to all of it", async () => {
    const { agent, chat } = await aPair()
    await ask(agent, "🦊".repeat(4000))
    const said = await telegram.heard(chat, "🦊")
    expect(said.text).toContain(`/owner/agents/${agent.agent.handle}`)
    expect(said.text.isWellFormed()).toBe(true)
  })

  it("holding a secret in its answer is refused as on the page", async () => {
    const { agent, chat } = await aPair()
    await ask(agent, "The card?")
    const said = await telegram.heard(chat, "The card?")
    telegram.reply(said, "4111 1111 1111 1111")
    await telegram.heard(chat, "holds what looks like a secret")
    expect((await conversation(agent)).filter(({ direction }) => direction === "to_agent")).toEqual([])
  })

  it("comes again after a passing fault, and never twice after a lost answer", async () => {
    const { agent, chat } = await aPair()
    telegram.faults.push(500)
    await ask(agent, "After a fault")
    await telegram.heard(chat, "After a fault")
    telegram.faults.push("cut")
    await ask(agent, "Lost on its way")
    await ask(agent, "The next one")
    await telegram.heard(chat, "The next one")
    expect(telegram.to(chat).filter(({ text }) => text.includes("Lost on its way")).length).toBeLessThan(2)
  })
})

describe("a captcha", () => {
  it("comes with its picture, and is solved by a reply", async () => {
    const { agent, owner, chat } = await aPair()
    const { id } = await captchaOf(agent, "text", { context: "Sign-up" })
    const said = await telegram.heard(chat, `Captcha ${id} of ${agent.agent.handle}`)
    expect(said.text).toContain("Sign-up")
    const shown = await sharp(said.photo ?? new Uint8Array()).metadata()
    expect([shown.width, shown.height]).toEqual([300, 150])
    telegram.reply(said, "abc 12")
    await telegram.heard(chat, "Your agent has it.")
    const captcha = dataOf<Captcha>(await agent.client.call("GET", `/api/v1/me/captcha/${id}`))
    expect(captcha).toMatchObject({ state: "answered", answer: { text: "abc 12" }, answered_by: owner.id })
    telegram.reply(said, "another")
    await telegram.heard(chat, "It is over already.")
  })

  it("of a box is ticked by a button; one to be tapped leads to its page", async () => {
    const { agent, chat } = await aPair()
    const box = await captchaOf(agent, "checkbox")
    const said = await telegram.heard(chat, `Captcha ${box.id} of`)
    telegram.press(said, said.buttons[0]?.callback_data ?? "")
    await waitFor(
      async () => {
        const { state } = dataOf<Captcha>(await agent.client.call("GET", `/api/v1/me/captcha/${box.id}`))
        return state === "answered" || null
      },
      { describe: "a ticked box" }
    )
    const taps = await captchaOf(agent, "taps")
    const tapped = await telegram.heard(chat, `Captcha ${taps.id} of`)
    expect(tapped.text).toContain(`/owner/captcha/${taps.id}`)
    expect(tapped.buttons).toEqual([])
  })
})

describe("news", () => {
  const write = async (to: Carried, count: number): Promise<void> => {
    const { client } = await anAgent(service.edges)
    for (let n = 0; n < count; n++)
      dataOf(await client.call("POST", "/api/v1/messages", { body: { to: to.agent.handle, body: `words ${n}` } }))
  }

  it("come by themselves where they should, without what strangers wrote, and no more than may be", async () => {
    const { agent, chat } = await aPair()
    await write(agent, 5)
    await ask(agent, "Still heard?")
    await telegram.heard(chat, "Still heard?")
    await waitFor(
      () => Promise.resolve(telegram.to(chat).filter(({ text }) => text.startsWith("News of")).length === 3 || null),
      { describe: "three news" }
    )
    const news = telegram.to(chat).filter(({ text }) => text.startsWith("News of"))
    expect(news.every(({ text }) => text.includes("A private message arrived") && !text.includes("words"))).toBe(true)
  })

  it("do not come where they are not chosen, and the agent is told that its question went nowhere", async () => {
    const { agent, owner, chat } = await aPair()
    await owner.client.change("choose_relay", { "chat:captcha.asked": "on" })
    const asked = await ask(agent, "Anybody?")
    expect(asked.delivered_to).toEqual([{ human_id: owner.id, state: "off" }])
    await captchaOf(agent, "text")
    await telegram.heard(chat, "Captcha ")
    expect(telegram.to(chat).filter(({ text }) => text.includes("Anybody?"))).toEqual([])
  })
})

describe("a chat", () => {
  it("is told to the agent as linked, with what is heard there", async () => {
    const { agent, owner } = await aPair()
    const answer = await agent.client.call("GET", "/api/v1/me/owner/messages")
    const { owners } = (answer.json as unknown as { meta: { owners: ReadonlyArray<OwnerReached> } }).meta
    expect(owners).toEqual([expect.objectContaining({ human_id: owner.id, chat_linked: true })])
    expect(owners[0]?.events).toEqual(expect.arrayContaining(["owner.asked", "captcha.asked", "message.received"]))
  })

  it("is linked by a code once; another account's chat is nobody else's", async () => {
    const first = await newOwner(service.edges)
    const code = await codeOf(first)
    const [mine, other] = [aChat(), aChat()]
    telegram.write(mine, `/start ${code}`)
    await telegram.heard(mine, "This chat is linked.")
    telegram.write(other, `/start ${code}`)
    await telegram.heard(other, "was used, or a newer one")
    const second = await newOwner(service.edges)
    telegram.write(mine, `/start ${await codeOf(second)}`)
    await telegram.heard(mine, "linked to another account")
    telegram.write(mine, "/stop")
    await telegram.heard(mine, "linked no more")
    await link(second, mine)
  })

  it("that is linked is told of by a letter", async () => {
    const owner = await newOwner(service.edges)
    await link(owner)
    const subject = "Subject: A chat was linked to your account"
    await waitFor(
      async () => (await lettersTo(service, owner.client.email)).some((letter) => letter.includes(subject)) || null,
      { describe: "a letter" }
    )
  })

  it("is not linked by a code that was shown before the password was changed", async () => {
    const owner = await newOwner(service.edges)
    const code = await codeOf(owner)
    const { password } = owner.client
    expect((await owner.client.change("change_password", { password, changed: "another one by far" })).status).toBe(303)
    const chat = aChat()
    telegram.write(chat, `/start ${code}`)
    await telegram.heard(chat, "was used, or a newer one")
  })

  it("of a stranger who signed up with an address goes when its owner takes the account", async () => {
    const { owner, chat } = await aPair()
    const person = owner.client.another()
    await person.fill("/owner/forgot", { email: person.email })
    const [token = ""] = await tokensTo(service, person.email, "/owner/forgot")
    const path = `/owner/forgot?token=${token}`
    expect((await person.fill(path, { password: "another one by far" }, "/owner/forgot")).status).toBe(303)
    await person.logIn("another one by far")
    expect((await person.get("/owner/settings")).text).toContain("No chat is linked")
    telegram.write(chat, "/stop")
    await telegram.heard(chat, "not open to you")
  })

  it("that is unlinked in the settings hears nothing, and answers nothing", async () => {
    const { agent, owner, chat } = await aPair()
    await ask(agent, "Before")
    const said = await telegram.heard(chat, "Before")
    const sent = await owner.client.change("unlink_chat", {})
    expect(noticeOf(await owner.client.follow(sent))).toBe("Your chat is linked no more.")
    expect((await ask(agent, "After")).delivered_to[0]?.state).toBe("not_linked")
    telegram.reply(said, "too late")
    await telegram.heard(chat, "not open to you")
    expect((await conversation(agent)).filter(({ direction }) => direction === "to_agent")).toEqual([])
  })

  it("that blocks the bot unlinks itself: by the word of it, and by a message that is refused", async () => {
    const told = await aPair()
    telegram.block(told.chat)
    const unlinked = ({ owner }: Chatting) =>
      waitFor(async () => (await owner.client.get("/owner/settings")).text.includes("No chat is linked") || null, {
        describe: "no chat"
      })
    await unlinked(told)
    const silent = await aPair()
    telegram.blocked.add(silent.chat)
    await ask(silent.agent, "Are you there?")
    await unlinked(silent)
  })

  it("of somebody else answers nothing, whatever its messages pretend", async () => {
    const { agent, chat } = await aPair()
    await ask(agent, "Mine?", { options: ["yes", "no"] })
    const said = await telegram.heard(chat, "Mine?")
    const stranger = await aPair()
    telegram.reply({ ...said, chat: stranger.chat }, "yes")
    await telegram.heard(stranger.chat, "not open to you")
    telegram.press(said, said.buttons[0]?.callback_data ?? "", stranger.chat)
    await waitFor(() => Promise.resolve(telegram.pressed.some((text) => text.includes("not open")) || null), {
      describe: "a refused press"
    })
    // Not the bot's own message.
    telegram.reply(said, "yes", { from: { id: 5, is_bot: true, first_name: "Other" } })
    await telegram.heard(chat, "Reply to a message of an agent")
    telegram.write(aChat(), "hello")
    expect((await conversation(agent)).filter(({ direction }) => direction === "to_agent")).toEqual([])
  })

  it("that says what nobody understands keeps nobody else from being heard", async () => {
    const { chat } = await aPair()
    telegram.write(aChat(), "words", { text: 7 })
    telegram.write(chat, "hello")
    await telegram.heard(chat, "Reply to a message of an agent")
  })

  it("of a group is not listened to", async () => {
    const owner = await newOwner(service.edges)
    const [group, chat] = [aChat(), aChat()]
    const code = await codeOf(owner)
    telegram.write(group, `/start ${code}`, { chat: { id: group, type: "group", title: "All" } })
    await link(owner, chat)
    expect(telegram.to(group)).toEqual([])
  })

  it("stands nowhere in clear, neither its number nor what is said", async () => {
    const { agent, chat } = await aPair()
    await ask(agent, "planted question of a chat")
    const said = await telegram.heard(chat, "planted question of a chat")
    telegram.reply(said, "planted answer of a chat")
    await telegram.heard(chat, "Your agent has it.")
    const planted = [String(chat), "planted question of a chat", "planted answer of a chat"]
    expect(await foundIn(service, planted)).toEqual([])
  })
})
