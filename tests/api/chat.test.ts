/** Owners are reached by chat, over two edges and two nodes (contract 10, 20): Telegram stands in at the wire. */
import sharp from "sharp"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Captcha } from "../../schemas/captcha/records.ts"
import { waitFor } from "../harness/index.ts"
import { dataOf } from "../support/outcome.ts"
import { anAgent, type Carried } from "../support/sponsorship.ts"
import { aPair, ask, captchaOf, closeChatting, conversation, openChatting, service, telegram } from "./chatting.ts"
beforeAll(openChatting)
afterAll(closeChatting)

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
    // The next one may be on its way sooner.
    await waitFor(() => telegram.faults.length === 0, { describe: "the answer is lost" })
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
