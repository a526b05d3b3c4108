/** Commands for mail: mailboxes, received and sent messages, and the codes in them. */
import { createHash } from "node:crypto"
import { resolve } from "node:path"
import {
  choice,
  type Choices,
  numberOf,
  PAGE_OPTIONS,
  PAGE_USAGE,
  pageOf,
  present,
  WRITE_OPTIONS,
  WRITE_USAGE,
  writeOf
} from "./arguments.ts"
import type { Command, CommandGroup } from "./command.ts"
import { Fault, usage } from "./fault.ts"
import { create } from "./files.ts"
import { askedUntil, HELD_TIMEOUT_MS, secondsOf, untilOf } from "./held.ts"
import { foundLines, head, whole } from "./mail-shown.ts"
import { reply, send } from "./mail-send.ts"
import { oneLine } from "./output.ts"
import { apart, counted, listed, pageLine, when } from "./show.ts"

const WAIT_MAX_SECONDS = 3600
const MINUTES = "30"
const MINUTES_PATTERN = /^[1-9]\d{0,3}$/
/** A host alone: anything else is from nowhere, and is waited for in vain. */
const HOST_PATTERN = /^[^\s/:?#@]+$/

const BOXES: Choices<"inbox" | "sent" | "all"> = { inbox: true, sent: true, all: true }

const open: Command = {
  usage: [`mail open [--local-part <name>] [--label <label>] ${WRITE_USAGE}`],
  summary: "open a mailbox: your handle at the hub's mail domain, or your handle, a dot and a suffix",
  options: { ...WRITE_OPTIONS, "local-part": { type: "string" }, label: { type: "string" } },
  run: async (invocation) => {
    const wanted = present({ local_part: invocation.text("local-part"), label: invocation.text("label") })
    const { client } = await invocation.agent()
    const { data: mailbox } = await client.operations.openMailbox(wanted, writeOf(invocation))
    invocation.print([mailbox.address], mailbox)
  }
}

const boxes: Command = {
  usage: [`mail boxes ${PAGE_USAGE}`],
  summary: "your mailboxes",
  options: PAGE_OPTIONS,
  run: async (invocation) => {
    const { client } = await invocation.agent()
    const { data, meta } = await client.operations.listMailboxes(pageOf(invocation))
    const rows = data.map(({ id, address, label }) => [id, address, label ?? ""])
    invocation.print(listed(["ID", "ADDRESS", "LABEL"], rows, meta), { data, meta })
  }
}

const close: Command = {
  usage: [`mail close <mailbox> ${WRITE_USAGE}`],
  summary: "close a mailbox, by its number: what it received is erased",
  words: true,
  options: WRITE_OPTIONS,
  run: async (invocation) => {
    const id = numberOf(invocation.words("mailbox")[0], "mailbox")
    const { client } = await invocation.agent()
    const { data } = await client.operations.closeMailbox({ id, confirm: "delete" }, writeOf(invocation))
    invocation.print([`mailbox ${id} is closed`], data)
  }
}

const list: Command = {
  usage: [`mail list [--box inbox|sent|all] [--thread <thread>] [--unread] [--search <words>] ${PAGE_USAGE}`],
  summary: "your mail, newest first",
  options: {
    ...PAGE_OPTIONS,
    box: { type: "string" },
    thread: { type: "string" },
    unread: { type: "boolean" },
    search: { type: "string" }
  },
  run: async (invocation) => {
    const query = present({
      box: choice(invocation, "box", BOXES),
      thread: invocation.text("thread"),
      unread: invocation.flag("unread") ? "1" : undefined,
      q: invocation.text("search")
    })
    const { client } = await invocation.agent()
    const { data, meta } = await client.operations.listMail({ ...query, ...pageOf(invocation) })
    const lines = data.flatMap((mail) => [...head(mail), ...apart(`${mail.subject}\n${mail.excerpt}`), ""])
    invocation.print([...lines, pageLine(meta)], { data, meta })
  }
}

const threads: Command = {
  usage: [`mail threads ${PAGE_USAGE}`],
  summary: "your mail by threads, newest first; mail list --thread shows one",
  options: PAGE_OPTIONS,
  run: async (invocation) => {
    const { client } = await invocation.agent()
    const { data, meta } = await client.operations.listMailThreads(pageOf(invocation))
    const lines = data.flatMap(({ id, subject, participants, messages, unread, last_at }) => [
      `${id} ${counted(messages, "message", "messages")}, ${unread} unread, ${when(last_at)}`,
      `  ${participants.map(oneLine).join(", ")}`,
      ...apart(subject)
    ])
    invocation.print([...lines, pageLine(meta)], { data, meta })
  }
}

const read: Command = {
  usage: ["mail read <message> [--peek] [--html]"],
  summary: "a message (em_1, …), which is read by that unless --peek",
  words: true,
  options: { peek: { type: "boolean" }, html: { type: "boolean" } },
  run: async (invocation) => {
    const [id] = invocation.words("message")
    const query = present({
      peek: invocation.flag("peek") ? "1" : undefined,
      include: invocation.flag("html") ? "html" : undefined
    })
    const { client } = await invocation.agent()
    const { data: mail } = await client.operations.getMailMessage({ id, ...query })
    invocation.print(whole(mail, invocation.flag("html")), mail)
  }
}

const waitCode: Command = {
  usage: ["mail wait-code [--from <host>] [--minutes <n>] [--wait <seconds>]"],
  summary:
    "codes and links that let you in, newest first: of the last 30 minutes (--minutes) at once, else as soon as they come\n" +
    "--wait: 0 where nothing is said; --from: from there, and proven to be (DMARC)",
  options: { from: { type: "string" }, minutes: { type: "string" }, wait: { type: "string" } },
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
  words: true,
  options: { output: { type: "string" } },
  run: async (invocation) => {
    const [id, n] = invocation.words("message", "number")
    const output = invocation.text("output")
    if (output === undefined) throw usage("mail attachment needs --output <path>")
    const { client } = await invocation.agent()
    const { data: mail } = await client.operations.getMailMessage({ id, peek: "1" })
    const { data: bytes } = await client.operations.getMailAttachment({ id, n })
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    const named = mail.attachments.find((one) => String(one.n) === n)
    if (named?.sha256 !== sha256) throw new Fault("file_changed", "what arrived is not that attachment: try again")
    const path = resolve(invocation.around.cwd, output)
    await create(path, bytes)
    invocation.print([`${path}: ${bytes.length} bytes`], { ...named, path })
  }
}

export const mailCommands: CommandGroup = {
  actions: { open, boxes, list, threads, read, "wait-code": waitCode, send, reply, attachment, close }
}
