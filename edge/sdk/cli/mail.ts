/** Commands for mail: mailboxes, received and sent messages, and the codes in them. */
import { createHash } from "node:crypto"
import { resolve } from "node:path"
import { choice, type Choices, numberIn, present } from "./arguments.ts"
import type { Command } from "./command.ts"
import { Fault, usage } from "./fault.ts"
import { create } from "./files.ts"
import { askedUntil, HELD_TIMEOUT_MS, secondsOf, untilOf } from "./held.ts"
import { foundLines, head, whole } from "./mail-text.ts"
import { reply, send } from "./mail-send.ts"
import { calling } from "./operation.ts"
import { oneLine } from "./output.ts"
import { apart, counted, listed, pageLine, when } from "./show.ts"

const WAIT_MAX_SECONDS = 3600
const MINUTES = "30"
const MINUTES_PATTERN = /^[1-9]\d{0,3}$/
/** A host name alone. Codes are selected by the sender's host, so any other text would never match. */
const HOST_PATTERN = /^[^\s/:?#@]+$/

const BOXES: Choices<"inbox" | "sent" | "all"> = { inbox: true, sent: true, all: true }

const open = calling("openMailbox", {
  usage: "mail open [--local-part <name>] [--label <label>]",
  summary: "open a mailbox: your handle at the hub's mail domain, or your handle, a dot and a suffix",
  fields: (invocation) => present({ local_part: invocation.text("local-part"), label: invocation.text("label") }),
  lines: ({ address }) => [address]
})

const boxes = calling("listMailboxes", {
  usage: "mail boxes",
  summary: "your mailboxes",
  lines: (data, meta) => {
    const rows = data.map(({ id, address, label }) => [id, address, label ?? ""])
    return listed(["ID", "ADDRESS", "LABEL"], rows, meta)
  }
})

const close = calling("closeMailbox", {
  usage: "mail close <mailbox>",
  summary: "close a mailbox, by its number: what it received is erased",
  fields: (invocation) => ({ id: numberIn(invocation, "mailbox"), confirm: "delete" }),
  lines: (_data, _meta, invocation) => [`mailbox ${invocation.positionals[0]} is closed`]
})

const list = calling("listMail", {
  usage: "mail list [--box inbox|sent|all] [--thread <thread>] [--unread] [--search <words>]",
  summary: "your mail, newest first",
  fields: (invocation) =>
    present({
      box: choice(invocation, "box", BOXES),
      thread: invocation.text("thread"),
      unread: invocation.flag("unread") ? "1" : undefined,
      q: invocation.text("search")
    }),
  lines: (data, meta) => [
    ...data.flatMap((mail) => [...head(mail), ...apart(`${mail.subject}\n${mail.excerpt}`), ""]),
    pageLine(meta)
  ]
})

const threads = calling("listMailThreads", {
  usage: "mail threads",
  summary: "your mail by threads, newest first; mail list --thread shows one",
  lines: (data, meta) => [
    ...data.flatMap(({ id, subject, participants, messages, unread, last_at }) => [
      `${id} ${counted(messages, "message", "messages")}, ${unread} unread, ${when(last_at)}`,
      `  ${participants.map(oneLine).join(", ")}`,
      ...apart(subject)
    ]),
    pageLine(meta)
  ]
})

const read = calling("getMailMessage", {
  usage: "mail read <message> [--peek] [--html]",
  summary: "a message (em_1, …), which is read by that unless --peek",
  fields: (invocation) => ({
    id: invocation.words("message")[0],
    ...present({
      peek: invocation.flag("peek") ? "1" : undefined,
      include: invocation.flag("html") ? "html" : undefined
    })
  }),
  lines: (mail, _meta, invocation) => whole(mail, invocation.flag("html"))
})

const waitCode: Command = {
  usage: ["mail wait-code [--from <host>] [--minutes <n>] [--wait <seconds>]"],
  summary:
    "codes and links that let you in, newest first: of the last 30 minutes (--minutes) at once, else as soon as they come\n" +
    "--wait: 0 where nothing is said; --from: from there, and proven to be (DMARC)",
  run: async (invocation) => {
    const seconds = secondsOf(invocation, WAIT_MAX_SECONDS)
    const from = invocation.text("from")
    const minutes = invocation.text("minutes") ?? MINUTES
    if (from !== undefined && !HOST_PATTERN.test(from))
      throw usage(`--from takes a host, such as shop.example, not ${from}`)
    if (!MINUTES_PATTERN.test(minutes)) throw usage(`--minutes takes a number from 1, not ${minutes}`)
    const query = present({ from, minutes })
    let unproven = 0
    const { client } = await invocation.agent()
    const ask = async (wait: number) => {
      const held = { ...query, wait_seconds: String(wait) }
      const { data, meta } = await client.operations.listMailCodes(held, { timeoutMs: HELD_TIMEOUT_MS })
      unproven = meta.unaligned
      return { found: data.length === 0 ? null : { data, meta }, isIdle: data.length === 0 }
    }
    const found = seconds === 0 ? (await ask(0)).found : await askedUntil(untilOf(seconds), ask)
    if (found === null) {
      const waited = seconds === 0 ? "there is no code" : `no code came within ${seconds} s`
      const others = `${counted(unproven, "message says", "messages say")} to be from ${from}, and nothing proves it: without --from you see it`
      throw new Fault("no_code", unproven === 0 ? waited : `${waited}; ${others}`)
    }
    invocation.print(found.data.flatMap(foundLines), found)
  }
}

const attachment: Command = {
  usage: ["mail attachment <message> <number> --output <path>"],
  summary: "keep an attachment; nothing that is there is replaced, and nothing of it is opened",
  run: async (invocation) => {
    const [id, n] = invocation.words("message", "number")
    const { client } = await invocation.agent()
    const { data: mail } = await client.operations.getMailMessage({ id, peek: "1" })
    const { data: bytes } = await client.operations.getMailAttachment({ id, n })
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    const named = mail.attachments.find((one) => String(one.n) === n)
    if (named?.sha256 !== sha256) throw new Fault("file_changed", "what arrived is not that attachment: try again")
    const path = resolve(invocation.around.cwd, invocation.needed("output"))
    await create(path, bytes)
    invocation.print([`${path}: ${bytes.length} bytes`], { ...named, path })
  }
}

export const mailCommands = [open, boxes, list, threads, read, waitCode, send, reply, attachment, close]
