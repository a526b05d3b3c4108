/**
 * The SMTP server that receives mail from outside (RFC 5321), built on `smtp-server`.
 *
 * Invariants
 *  - Nothing is relayed. Each recipient is checked at RCPT: it is a mailbox of this service, or one of the service's
 *    own addresses (`OwnAddress`). So no bounce has to be sent later.
 *  - Resources are limited before a stranger can use them: connections in total and for each network (places.ts),
 *    recipients, the size of a message, and the bytes of all messages together. Recipients without a mailbox are
 *    limited for each network (unknown-recipients.ts). The time and the commands of a client are limited too
 *    (sessions.ts). If there is no room for its message, a client is asked to try again later (4xx).
 *  - A message is accepted only after its mailboxes have received or dropped it in the log, and mail to the service's
 *    own addresses was handled. Otherwise the client is asked to try again later.
 */
import { readFileSync } from "node:fs"
import type { SMTPServerDataStream, SMTPServerSession } from "smtp-server"
import type { Clock } from "effect"
import type { Limits } from "../../../schemas/limits.ts"
import type { SmtpMail } from "../../../schemas/mail/settings.ts"
import { receivedAddress } from "../../../schemas/mail/senders.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { VERSION } from "../../../schemas/version.ts"
import type { Incoming } from "./delivery.ts"
import type { Returned } from "../outbound/return-path.ts"
import { BUSY, Entrance } from "./entrance.ts"
import { Places } from "./places.ts"
import type { Recipient } from "./recipient.ts"
import { namedBy } from "./recipients.ts"
import type { Addressed } from "./sealed.ts"
import { Sessions } from "./sessions.ts"
import { UnknownRecipients } from "./unknown-recipients.ts"
import type { Origin } from "./verdicts.ts"

export interface Receiving {
  /** Looks up a recipient. `address`: the address without its tag. */
  readonly recipient: (address: string, tag: string | null) => Promise<Recipient>
  readonly hasRoom: () => Promise<boolean>
  /** Resolves to true if the message was accepted. */
  readonly deliver: (incoming: Incoming & Origin) => Promise<boolean>
  /** Returns the purpose of one of the service's own addresses; `null` for other addresses. */
  readonly ownAddress: (address: string) => OwnAddress | null
  /** Handles mail to the service's own addresses. `ip`: the client that sent it by SMTP. */
  readonly returned: (raw: Buffer, to: ReadonlyArray<OwnAddress>, ip?: string) => Promise<"taken" | "again" | "refused">
}

/** The service's own addresses: for reports, for unsubscribing, and for mail to the operator. */
export type OwnAddress = Returned | "abuse" | "postmaster"

type Bounds = Limits["service"]["mail"] & Pick<Limits["limits"]["email"], "message_max_bytes">

const CLOSE_MS = 2000
const TOO_MANY_PIECES = "5.3.4 The message comes in too many pieces: it has too many lines that begin with a dot"
const TOO_MANY_UNKNOWN = "4.7.1 Too many recipients without a mailbox, come again later"
const NO_ROOM = "4.3.1 No room for mail at the moment"

const smtpError = (responseCode: number, words: string): Error => Object.assign(new Error(words), { responseCode })

/**
 * Reports the commands of each connection. The library reports them only by its log, including those over TLS. Nothing
 * else of that log is used.
 */
const commandsTold = (told: (id: string, command: string) => void) => {
  const nothing = () => undefined
  const debug = (entry: unknown) => {
    if (typeof entry !== "object" || entry === null || !("tnx" in entry) || !("cid" in entry)) return
    const command = "command" in entry && typeof entry.command === "string" ? entry.command : ""
    if (entry.tnx === "command" && typeof entry.cid === "string") told(entry.cid, command)
  }
  return { trace: nothing, debug, info: nothing, warn: nothing, error: nothing, fatal: nothing }
}

/**
 * The progress that commands make towards a message. A command makes progress only if its number is higher than the
 * last one.
 */
const STEPS: Readonly<Record<string, number>> = { HELO: 1, EHLO: 1, STARTTLS: 2 }
const SENDER_STEP = 3

interface PartialMessage {
  readonly chunks: Array<Buffer>
  pieces: number
  /** True once the rest of the message is discarded. */
  tooMuch: boolean
}

/**
 * The memory that a chunk takes besides its bytes. The library begins a new chunk at each line that begins with a dot.
 */
const PIECE_BYTES = 128

interface Recipients {
  readonly mailboxes: Map<number, { address: string; to: string; tags: Array<string> }>
  readonly own: Map<string, OwnAddress>
}

export class MailServer {
  private readonly receiving: Receiving
  private readonly bounds: Bounds
  private readonly server: Entrance
  private readonly places: Places
  private readonly recipients = new WeakMap<SMTPServerSession, Recipients>()
  private readonly sessions: Sessions
  private readonly unknown: UnknownRecipients
  /** Messages that are being received, by the id of their connection. */
  private readonly reads = new Map<string, PartialMessage>()

  constructor(
    clock: Clock.Clock,
    receiving: Receiving,
    { domain, tls }: Pick<SmtpMail, "domain" | "tls">,
    bounds: Bounds
  ) {
    this.receiving = receiving
    this.bounds = bounds
    this.places = new Places(bounds, (id) => this.makesRoom(id))
    this.sessions = new Sessions(clock, bounds, (id, words) => this.hangUp(id, words))
    this.unknown = new UnknownRecipients(clock, bounds)
    this.server = new Entrance(clock, this.places, {
      name: domain,
      banner: `Hub ${VERSION}`,
      size: bounds.message_max_bytes,
      disabledCommands: tls === null ? ["AUTH", "STARTTLS"] : ["AUTH"],
      authOptional: true,
      disableReverseLookup: true,
      socketTimeout: bounds.idle_ms,
      closeTimeout: CLOSE_MS,
      logger: commandsTold((id, command) => {
        this.sessions.said(id)
        const step = STEPS[command]
        if (step !== undefined) this.advanced(id, step)
      }),
      ...(tls === null ? {} : { cert: readFileSync(tls.cert), key: readFileSync(tls.key) }),
      onConnect: ({ id }, done) => {
        this.sessions.began(id)
        done()
      },
      onClose: ({ id }) => {
        this.sessions.ended(id)
        this.places.give(id)
      },
      onMailFrom: (_address, { id }, done) => {
        this.room().then(
          (refused) => {
            if (refused === null) this.advanced(id, SENDER_STEP)
            done(refused)
          },
          (error: unknown) => done(this.fault(error))
        )
      },
      onRcptTo: ({ address }, session, done) => {
        this.recipient(address, session).then(
          (refused) => {
            if (refused === null) this.advanced(session.id, SENDER_STEP + session.envelope.rcptTo.length + 1)
            done(refused)
          },
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
    // A client's broken connection is no fault of this service.
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

  private advanced(id: string, step: number): void {
    if (this.sessions.advanced(id, step)) this.places.progressed(id)
  }

  /** Closes a connection that is displaced by another. The received part of its message is dropped immediately. */
  private makesRoom(id: string): void {
    const read = this.reads.get(id)
    if (read !== undefined) {
      read.tooMuch = true
      read.chunks.length = 0
    }
    if (this.server.evict(id)) this.hangUp(id, BUSY)
  }

  private hangUp(id: string, words: string): void {
    for (const connection of this.server.connections) if (connection.id === id) connection.send(421, words)
  }

  /** Refuses a message permanently (554), because it would arrive in as many chunks again. */
  private refuse(id: string, words: string): void {
    for (const connection of this.server.connections) {
      if (connection.id !== id) continue
      connection.send(554, words)
      connection.close()
    }
  }

  /**
   * Checks whether there is room for mail. It is called before a message, so that none is received without room, and
   * again after it.
   */
  private async room(): Promise<Error | null> {
    return (await this.receiving.hasRoom()) ? null : smtpError(452, NO_ROOM)
  }

  private async recipient(text: string, session: SMTPServerSession): Promise<Error | null> {
    const known = this.recipientsOf(session)
    if (session.envelope.rcptTo.length >= this.bounds.recipients_max) return smtpError(452, "4.5.3 Too many recipients")
    const own = this.receiving.ownAddress(text)
    if (own !== null) {
      known.own.set(text.toLowerCase(), own)
      return null
    }
    const named = namedBy(text)
    if (named === null) return smtpError(550, "5.1.1 No such mailbox here")
    // The library closes the connection after this answer.
    if (this.unknown.isOver(session.remoteAddress)) return smtpError(421, TOO_MANY_UNKNOWN)
    const found = await this.receiving.recipient(named.address, named.tag)
    if (found.type === "nobody") {
      this.unknown.add(session.remoteAddress)
      return smtpError(550, "5.1.1 No such mailbox here")
    }
    if (found.type === "full") return smtpError(452, "4.2.2 This mailbox is full, come again later")
    if (found.type === "crowded") return smtpError(452, NO_ROOM)
    if (found.type === "later") return smtpError(450, "4.2.1 This domain takes no mail at the moment, come again later")
    if (found.type === "unknown") return smtpError(451, BUSY)
    if (found.type === "postmaster") {
      known.own.set("postmaster", "postmaster")
      return null
    }
    const { mailbox, address } = found
    const one = known.mailboxes.get(mailbox) ?? { address, to: text, tags: [] }
    if (named.tag !== null && !one.tags.includes(named.tag)) one.tags.push(named.tag)
    known.mailboxes.set(mailbox, one)
    return null
  }

  /** Creates a new list for each message of a connection. */
  private recipientsOf(session: SMTPServerSession): Recipients {
    const known = session.envelope.rcptTo.length === 0 ? undefined : this.recipients.get(session)
    const recipients: Recipients = known ?? { mailboxes: new Map(), own: new Map() }
    this.recipients.set(session, recipients)
    return recipients
  }

  private async data(stream: SMTPServerDataStream, session: SMTPServerSession): Promise<Error | null> {
    const read: PartialMessage = { chunks: [], pieces: 0, tooMuch: false }
    const { id } = session
    this.sessions.dataBegan(id)
    this.places.begin(id)
    this.reads.set(id, read)
    try {
      const isWhole = await this.readAll(stream, read, id)
      this.sessions.dataEnded(id)
      const isKept = this.places.keep(id)
      if (!isWhole) return smtpError(451, "4.4.2 The line broke")
      if (stream.sizeExceeded) return smtpError(552, "5.3.4 The message is too large")
      if (read.tooMuch || !isKept) return smtpError(451, BUSY)
      const noRoom = await this.room()
      if (noRoom !== null) return noRoom
      return await this.taken(Buffer.concat(read.chunks), session)
    } finally {
      this.reads.delete(id)
      this.places.done(id)
      // Runs after the answer was written, because the library writes it when this promise settles.
      setImmediate(() => {
        this.sessions.answered(id)
        this.places.progressed(id)
      })
    }
  }

  private async taken(raw: Buffer, session: SMTPServerSession): Promise<Error | null> {
    const incoming = this.incoming(raw, session)
    const own = [...(this.recipients.get(session)?.own.values() ?? [])]
    // Mailboxes come first, because they recognize a repeated message. So reports in it are passed on only once.
    const isDelivered = incoming.to.length === 0 || (await this.receiving.deliver(incoming))
    const returned =
      !isDelivered || own.length === 0 ? "taken" : await this.receiving.returned(raw, own, session.remoteAddress)
    if (!isDelivered || returned === "again") return smtpError(451, "4.3.0 Not taken, come again")
    return incoming.to.length > 0 || returned === "taken" ? null : smtpError(550, "5.7.1 Not read here")
  }

  /**
   * Reads the message to its end, even if it will be refused, because the client expects the answer only then. A
   * message in too many pieces is refused before its end. Returns false if the connection was lost before.
   */
  private async readAll(stream: SMTPServerDataStream, read: PartialMessage, id: string): Promise<boolean> {
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        // A short chunk takes as much processor time as a long one, so the number of chunks is limited.
        if (++read.pieces === this.bounds.pieces_max) this.refuse(id, TOO_MANY_PIECES)
        if (stream.sizeExceeded || read.tooMuch) continue
        read.tooMuch = read.pieces >= this.bounds.pieces_max || !this.places.hold(id, chunk.length + PIECE_BYTES)
        if (!read.tooMuch) read.chunks.push(chunk)
      }
      return true
    } catch {
      return false
    }
  }

  private incoming(raw: Buffer, session: SMTPServerSession): Incoming & Origin {
    const { mailFrom } = session.envelope
    const to = [...(this.recipients.get(session)?.mailboxes ?? [])].map(([mailbox, one]): Addressed => ({
      mailbox,
      ...one
    }))
    const sender = mailFrom === false ? "" : (receivedAddress(mailFrom.address) ?? "")
    return { raw, to, sender, ip: session.remoteAddress, helo: session.hostNameAppearsAs || session.clientHostname }
  }

  private fault(error: unknown): Error {
    logNow("error", "mail", { error })
    return smtpError(451, "4.3.0 Not taken, come again")
  }
}
