/**
 * SMTP with the world (RFC 5321), receiving alone: by `smtp-server`.
 *
 * Invariants
 *  - Nothing is relayed: each recipient is a mailbox of this service, judged at RCPT; there is no bounce to send later.
 *  - A stranger's bytes are bounded before they are kept: connections of all and of one client, recipients, the size of
 *    a message, and what is held of all messages together. What there is no room for is told to come again (4xx).
 *  - A message is answered once it is in the log, or is told to come again.
 */
import { readFileSync } from "node:fs"
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server"
import type { Limits } from "../../../schemas/limits.ts"
import type { SmtpMail } from "../../../schemas/mail/settings.ts"
import { senderAddress } from "../../../schemas/mail/senders.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { VERSION } from "../../../schemas/version.ts"
import type { Incoming } from "./delivery.ts"
import type { Recipient } from "./recipient.ts"
import { namedBy } from "./recipients.ts"
import type { Addressed } from "./sealed.ts"
import type { Origin } from "./verdicts.ts"

export interface Receiving {
  /** `address`: without a tag. */
  readonly recipient: (address: string) => Promise<Recipient>
  /** Whether there is room for mail at all. */
  readonly hasRoom: () => Promise<boolean>
  /** Resolves to whether it was taken. */
  readonly deliver: (incoming: Incoming & Origin) => Promise<boolean>
}

type Bounds = Limits["service"]["mail"] & Pick<Limits["limits"]["email"], "message_max_bytes">

const CLOSE_MS = 2000
const BUSY = "4.3.2 Too much at once, come again"

const smtpError = (responseCode: number, words: string): Error => Object.assign(new Error(words), { responseCode })

/** What is held of a message while it comes. */
interface Read {
  readonly chunks: Array<Buffer>
  bytes: number
  /** There is no room for it. */
  tooMuch: boolean
}

/** What a connection's message is for so far: by mailbox. */
type Recipients = Map<number, { address: string; to: string; tags: Array<string> }>

export class MailServer {
  private readonly receiving: Receiving
  private readonly bounds: Bounds
  private readonly server: SMTPServer
  /** Connections by client. */
  private readonly clients = new Map<string, number>()
  private readonly recipients = new WeakMap<SMTPServerSession, Recipients>()
  private heldBytes = 0

  constructor(receiving: Receiving, { domain, tls }: Pick<SmtpMail, "domain" | "tls">, bounds: Bounds) {
    this.receiving = receiving
    this.bounds = bounds
    this.server = new SMTPServer({
      name: domain,
      banner: `Hub ${VERSION}`,
      size: bounds.message_max_bytes,
      disabledCommands: tls === null ? ["AUTH", "STARTTLS"] : ["AUTH"],
      authOptional: true,
      disableReverseLookup: true,
      maxClients: bounds.connections_max,
      socketTimeout: bounds.idle_ms,
      closeTimeout: CLOSE_MS,
      ...(tls === null ? {} : { cert: readFileSync(tls.cert), key: readFileSync(tls.key) }),
      onConnect: (session, done) => done(this.connected(session)),
      onClose: (session) => this.left(session),
      onRcptTo: ({ address }, session, done) => {
        this.recipient(address, session).then(
          (refused) => done(refused),
          (error: unknown) => done(this.fault(error))
        )
      },
      onData: (stream, session, done) => {
        this.data(stream, session).then(
          (refused) => (refused === null ? done(null, "2.0.0 Taken") : done(refused)),
          (error: unknown) => done(this.fault(error))
        )
      }
    })
    // A client's broken connection is its own affair.
    this.server.on("error", () => undefined)
  }

  listen(port: number, bind: string | null): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once("error", reject)
      const listener = this.server.listen(port, bind ?? undefined, () => {
        this.server.off("error", reject)
        const address = listener.address()
        resolve(typeof address === "object" && address !== null ? address.port : port)
      })
    })
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()))
  }

  private connected({ remoteAddress }: SMTPServerSession): Error | null {
    const open = this.clients.get(remoteAddress) ?? 0
    this.clients.set(remoteAddress, open + 1)
    return open < this.bounds.connections_per_client_max ? null : smtpError(421, BUSY)
  }

  private left({ remoteAddress }: SMTPServerSession): void {
    const open = (this.clients.get(remoteAddress) ?? 1) - 1
    if (open > 0) this.clients.set(remoteAddress, open)
    else this.clients.delete(remoteAddress)
  }

  private async recipient(text: string, session: SMTPServerSession): Promise<Error | null> {
    const named = namedBy(text)
    if (named === null) return smtpError(550, "5.1.1 No such mailbox here")
    const known = this.recipientsOf(session)
    if (session.envelope.rcptTo.length >= this.bounds.recipients_max) return smtpError(452, "4.5.3 Too many recipients")
    const found = await this.receiving.recipient(named.address)
    if (found.type === "nobody") return smtpError(550, "5.1.1 No such mailbox here")
    if (found.type === "full") return smtpError(452, "4.2.2 This mailbox is full, come again later")
    if (found.type === "unknown") return smtpError(451, BUSY)
    const { mailbox, address } = found
    const one = known.get(mailbox) ?? { address, to: text, tags: [] }
    if (named.tag !== null && !one.tags.includes(named.tag)) one.tags.push(named.tag)
    known.set(mailbox, one)
    return null
  }

  /** Anew for each message of a connection. */
  private recipientsOf(session: SMTPServerSession): Recipients {
    const known = session.envelope.rcptTo.length === 0 ? undefined : this.recipients.get(session)
    const recipients: Recipients = known ?? new Map()
    this.recipients.set(session, recipients)
    return recipients
  }

  private async data(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Error | null> {
    const read: Read = { chunks: [], bytes: 0, tooMuch: false }
    try {
      if (!(await this.readAll(stream, read))) return smtpError(451, "4.4.2 The line broke")
      if (stream.sizeExceeded) return smtpError(552, "5.3.4 The message is too large")
      if (read.tooMuch) return smtpError(451, BUSY)
      if (!(await this.receiving.hasRoom())) return smtpError(452, "4.3.1 No room for mail at the moment")
      const taken = await this.receiving.deliver(this.incoming(Buffer.concat(read.chunks), session))
      return taken ? null : smtpError(451, "4.3.0 Not taken, come again")
    } finally {
      this.heldBytes -= read.bytes
    }
  }

  /** To its end whatever becomes of it: the answer comes behind that. False where its client hung up before. */
  private async readAll(stream: SMTPServerDataStream, read: Read): Promise<boolean> {
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        if (stream.sizeExceeded || read.tooMuch) continue
        read.tooMuch = this.heldBytes + chunk.length > this.bounds.held_max_bytes
        if (read.tooMuch) continue
        read.bytes += chunk.length
        this.heldBytes += chunk.length
        read.chunks.push(chunk)
      }
      return true
    } catch {
      return false
    }
  }

  private incoming(raw: Buffer, session: SMTPServerSession): Incoming & Origin {
    const { mailFrom } = session.envelope
    const to = [...(this.recipients.get(session) ?? [])].map(([mailbox, one]): Addressed => ({ mailbox, ...one }))
    const sender = mailFrom === false ? "" : (senderAddress(mailFrom.address) ?? "")
    return { raw, to, sender, ip: session.remoteAddress, helo: session.hostNameAppearsAs || session.clientHostname }
  }

  private fault(error: unknown): Error {
    logNow("error", "mail", { error })
    return smtpError(451, "4.3.0 Not taken, come again")
  }
}
