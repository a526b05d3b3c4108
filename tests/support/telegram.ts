/**
 * A stand-in for Telegram's Bot API. It stores what the bot sends, and sends the messages of people to the bot. As in
 * the original, an update is repeated until a later poll confirms it, and if two clients poll, the first is refused.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { waitFor } from "../harness/index.ts"

export const TOKEN = "123456:stand-in-for-a-token-of-a-bot"
const BOT = { id: 123_456, is_bot: true, first_name: "Hub", username: "stand_in_bot" }

export interface Said {
  readonly chat: number
  readonly message_id: number
  readonly text: string
  readonly buttons: ReadonlyArray<{ readonly text: string; readonly callback_data: string }>
  /** The uploaded picture. */
  readonly photo: Uint8Array | null
}

type Given = Readonly<Record<string, unknown>>

interface Poll {
  readonly offset: number
  readonly response: ServerResponse
  readonly timer: NodeJS.Timeout
}

const answered = (response: ServerResponse, result: unknown): void => {
  response.setHeader("content-type", "application/json")
  response.end(JSON.stringify({ ok: true, result }))
}
const refused = (response: ServerResponse, error_code: number, description: string, more: Given = {}): void => {
  response.statusCode = error_code
  response.setHeader("content-type", "application/json")
  response.end(JSON.stringify({ ok: false, error_code, description, ...more }))
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => Buffer.concat(await request.toArray())

/** Reads a body of JSON, or a form with a file. */
const givenOf = async (request: IncomingMessage): Promise<{ given: Given; file: Uint8Array | null }> => {
  const body = await bodyOf(request)
  const type = request.headers["content-type"] ?? ""
  if (!type.startsWith("multipart/")) return { given: body.length === 0 ? {} : JSON.parse(body.toString()), file: null }
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData()
  const given: Record<string, unknown> = {}
  let file: Uint8Array | null = null
  for (const [name, value] of form) {
    if (typeof value === "string") given[name] = value.startsWith("{") ? JSON.parse(value) : value
    else file = new Uint8Array(await value.arrayBuffer())
  }
  return { given, file }
}

export class Telegram {
  readonly said: Array<Said> = []
  /** Answers to presses of buttons. */
  readonly pressed: Array<string> = []
  /** Messages whose buttons were removed. */
  readonly settled: Array<number> = []
  readonly methods: Array<string> = []
  /** Chats that have blocked the bot. */
  readonly blocked = new Set<number>()
  /** The outcome of the next sends: a status, a closed connection, or no answer. */
  readonly faults: Array<number | "cut" | "silent"> = []
  /** Sends that still wait without an answer. */
  silent = 0
  private readonly server = createServer((request, response) => void this.#serve(request, response))
  private readonly updates: Array<Given & { readonly update_id: number }> = []
  private poll: Poll | null = null
  private ids = 1000

  static async open(): Promise<Telegram> {
    const telegram = new Telegram()
    await new Promise<void>((resolve) => telegram.server.listen(0, "127.0.0.1", resolve))
    return telegram
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  get env(): Readonly<Record<string, string>> {
    return { HUB_TELEGRAM_TOKEN: TOKEN, HUB_TELEGRAM_URL: this.url }
  }

  async stop(): Promise<void> {
    if (this.poll !== null) clearTimeout(this.poll.timer)
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  /** Waits until a message that contains the text was sent to a chat. */
  heard(chat: number, part: string): Promise<Said> {
    return waitFor(
      () => Promise.resolve(this.said.findLast((one) => one.chat === chat && one.text.includes(part)) ?? null),
      {
        describe: `${part} in chat ${chat}`
      }
    )
  }

  to(chat: number): ReadonlyArray<Said> {
    return this.said.filter((one) => one.chat === chat)
  }

  /** Sends a person's message to the bot. */
  write(chat: number, text: string, more: Given = {}): void {
    this.#happens({ message: { ...this.#from(chat), text, ...more } })
  }

  /** Sends a reply to a message of the bot. */
  reply(to: Said, text: string, more: Given = {}): void {
    const said = to.photo === null ? { text: to.text } : { caption: to.text }
    const message = { message_id: to.message_id, date: 1, chat: { id: to.chat, type: "private" }, from: BOT, ...said }
    this.write(to.chat, text, { reply_to_message: { ...message, ...more } })
  }

  press(to: Said, data: string, chat = to.chat): void {
    const message = {
      message_id: to.message_id,
      date: 1,
      chat: { id: chat, type: "private" },
      from: BOT,
      text: to.text
    }
    const { from } = this.#from(chat)
    this.#happens({ callback_query: { id: String(this.ids++), from, message, chat_instance: "1", data } })
  }

  /** A person blocks the bot: the bot gets an update, and may not send messages to this person any more. */
  block(chat: number): void {
    this.blocked.add(chat)
    const status = (of: string): Given => ({ user: BOT, status: of, until_date: 0 })
    const { from } = this.#from(chat)
    const changed = { old_chat_member: status("member"), new_chat_member: status("kicked") }
    this.#happens({ my_chat_member: { chat: { id: chat, type: "private" }, from, date: 1, ...changed } })
  }

  /** Adds any update. */
  #happens(what: Given): void {
    this.updates.push({ update_id: this.ids++, ...what })
    this.#tell()
  }

  #from(chat: number): Given & { readonly from: Given } {
    const from = { id: chat, is_bot: false, first_name: "Grace" }
    return { message_id: this.ids++, date: 1, chat: { id: chat, type: "private" }, from }
  }

  #tell(): void {
    const { poll } = this
    if (poll === null) return
    const due = this.updates.filter(({ update_id }) => update_id >= poll.offset)
    if (due.length > 0) this.#endPoll((response) => answered(response, due))
  }

  #endPoll(say: (response: ServerResponse) => void): void {
    const { poll } = this
    if (poll === null) return
    this.poll = null
    clearTimeout(poll.timer)
    say(poll.response)
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { given, file } = await givenOf(request)
    const [, token, method = ""] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? "") ?? []
    if (token !== TOKEN) return refused(response, 401, "Unauthorized")
    this.methods.push(method)
    if (method === "getMe") return answered(response, BOT)
    if (method === "getUpdates") return this.#held(response, given)
    if (method === "answerCallbackQuery") {
      this.pressed.push(String(given["text"]))
      return answered(response, true)
    }
    if (method === "editMessageReplyMarkup") {
      this.settled.push(Number(given["message_id"]))
      return answered(response, true)
    }
    if (method !== "sendMessage" && method !== "sendPhoto") return refused(response, 404, "Not Found")
    this.#sent(response, given, file)
  }

  #held(response: ServerResponse, { offset = 0, timeout = 0 }: Given): void {
    const from = Number(offset)
    while ((this.updates[0]?.update_id ?? from) < from) this.updates.shift()
    this.#endPoll((other) => refused(other, 409, "Conflict: terminated by other getUpdates request"))
    const timer = setTimeout(() => this.#endPoll((held) => answered(held, [])), Number(timeout) * 1000)
    this.poll = { offset: from, response, timer }
    this.#tell()
  }

  #sent(response: ServerResponse, given: Given, photo: Uint8Array | null): void {
    const chat = Number(given["chat_id"])
    const fault = this.faults.shift()
    if (fault === "cut") return void response.destroy()
    if (fault === "silent") {
      this.silent++
      return void response.on("close", () => this.silent--)
    }
    if (fault === 429)
      return refused(response, 429, "Too Many Requests: retry after 1", { parameters: { retry_after: 1 } })
    if (fault !== undefined) return refused(response, fault, "Internal Server Error")
    if (this.blocked.has(chat)) return refused(response, 403, "Forbidden: bot was blocked by the user")
    const text = String(given["text"] ?? given["caption"])
    if (text.length > (photo === null ? 4096 : 1024)) return refused(response, 400, "Bad Request: message is too long")
    const markup = given["reply_markup"] as { inline_keyboard?: ReadonlyArray<Said["buttons"]> } | undefined
    const one: Said = { chat, message_id: this.ids++, text, buttons: (markup?.inline_keyboard ?? []).flat(), photo }
    this.said.push(one)
    answered(response, { message_id: one.message_id, date: 1, chat: { id: chat, type: "private" }, text })
  }
}
