/** Commands that send mail. */
import { basename } from "node:path"
import { answerSubject } from "../../../schemas/mail/answer.ts"
import type { SendMail } from "../../../schemas/mail/send.ts"
import { present, WRITE_USAGE, writeOf } from "./arguments.ts"
import type { Command, Invocation } from "./command.ts"
import { Fault, usage } from "./fault.ts"
import { bytesOf, textArgument } from "./input.ts"
import { sentHead } from "./mail-text.ts"

const SEND_USAGE = "[--from <mailbox>] [--html <text|@file>] [--attach <path> …]"

const attached = (invocation: Invocation) =>
  Promise.all(
    invocation.texts("attach").map(async (path) => ({
      filename: basename(path),
      content_base64: Buffer.from(await bytesOf(path, invocation.around)).toString("base64")
    }))
  )

const htmlOf = async (invocation: Invocation): Promise<string | undefined> => {
  const html = invocation.text("html")
  return html === undefined ? undefined : textArgument(html, invocation.around)
}

/** The mailbox to send from: the named one, or the only one that there is. */
const fromOf = async (invocation: Invocation): Promise<string> => {
  const wanted = invocation.text("from")
  if (wanted !== undefined) return wanted
  const { client } = await invocation.agent()
  const { data } = await client.operations.listMailboxes()
  const [only, ...others] = data
  if (only === undefined) throw new Fault("no_mailbox", "open a mailbox first: hub-agent mail open")
  if (others.length > 0) throw usage(`say --from: one of ${data.map(({ address }) => address).join(", ")}`)
  return only.address
}

const contentOf = async (invocation: Invocation, body: string) => {
  const attachments = await attached(invocation)
  const html = await htmlOf(invocation)
  const text = await textArgument(body, invocation.around)
  return { text, ...present({ html, attachments: attachments.length === 0 ? undefined : attachments }) }
}

const sent = async (invocation: Invocation, mail: SendMail): Promise<void> => {
  const { client } = await invocation.agent()
  const { data } = await client.operations.sendMail(mail, writeOf(invocation))
  invocation.print(sentHead(data), data)
}

export const send: Command = {
  usage: [
    `mail send <to>[,<to> …] <text|@file|-> --subject <subject> [--cc <to>]... [--bcc <to>]... ${SEND_USAGE} ${WRITE_USAGE}`
  ],
  summary: "send mail; under --idempotency-key it goes out once, however often you say it",
  run: async (invocation) => {
    const [to, body] = invocation.words("to", "text")
    const [cc, bcc] = [invocation.texts("cc"), invocation.texts("bcc")]
    await sent(invocation, {
      from: await fromOf(invocation),
      to: to.split(","),
      cc,
      bcc,
      subject: invocation.needed("subject"),
      ...(await contentOf(invocation, body))
    })
  }
}

export const reply: Command = {
  usage: [`mail reply <message> <text|@file|-> [--all] [--subject <subject>] ${SEND_USAGE} ${WRITE_USAGE}`],
  summary: "answer a message that you received, from the mailbox that it came to; --all: everybody whom it names",
  run: async (invocation) => {
    const [id, body] = invocation.words("message", "text")
    const { client } = await invocation.agent()
    const all = invocation.flag("all")
    const content = await contentOf(invocation, body)
    const [from, subject] = [invocation.text("from"), invocation.text("subject")]
    if (from === undefined && subject === undefined) {
      const { data } = await client.operations.replyToMail({ id, all, ...content }, writeOf(invocation))
      return invocation.print(sentHead(data), data)
    }
    if (all) throw usage("--all goes without --from and --subject")
    const { data: mail } = await client.operations.getMailMessage({ id, peek: "1" })
    if (mail.box === "sent") throw usage(`${id} is one that you sent yourself`)
    if (mail.from.address === "") throw new Fault("no_sender", `${id} does not say who sent it`)
    await sent(invocation, {
      from: from ?? mail.mailbox.address,
      to: [mail.from.address],
      subject: subject ?? answerSubject(mail.subject),
      in_reply_to: mail.message_id,
      ...content
    })
  }
}
