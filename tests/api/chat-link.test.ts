/** A chat is linked to an account, and unlinked; others know nothing of it (contract 10, 20): Telegram stands in at the wire. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { OwnerReached } from "../../schemas/owner/records.ts"
import { waitFor } from "../harness/index.ts"
import { noticeOf } from "../html/owner/client.ts"
import { lettersTo, tokensTo } from "../support/outbox.ts"
import { newOwner } from "../support/owner.ts"
import { foundIn } from "../support/planted.ts"
import {
  aChat,
  aPair,
  ask,
  closeChatting,
  codeOf,
  conversation,
  link,
  openChatting,
  service,
  telegram,
  type Chatting
} from "./chatting.ts"
beforeAll(openChatting)
afterAll(closeChatting)

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
    telegram.write(other, `/start@the_bot ${code}`)
    await telegram.heard(other, "was used, or a newer one")
    const second = await newOwner(service.edges)
    telegram.write(mine, `/start ${await codeOf(second)}`)
    await telegram.heard(mine, "linked to another account")
    telegram.write(mine, "/stop")
    await telegram.heard(mine, "linked no more")
    await link(second, mine)
  })

  it("that is linked is told of by a letter, to an address that is confirmed", async () => {
    const owner = await newOwner(service.edges)
    const [token = ""] = await tokensTo(service, owner.client.email, "/owner/verify")
    await owner.client.fill(`/owner/verify?token=${token}`, {}, "/owner/verify")
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
