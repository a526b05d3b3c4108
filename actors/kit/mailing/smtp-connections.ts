/**
 * Connections to the mail server. Each sends one letter at a time, and is kept open for a short time for the next
 * letter.
 */
import { Readable } from "node:stream"
import { type Clock, Effect } from "effect"
import SMTPConnection, { type SMTPConnectionOptions } from "nodemailer/lib/smtp-connection"
import type { MailServer } from "../../../schemas/letter/settings.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { faultOf, type SmtpFault } from "./smtp-fault.ts"
import type { Message } from "./transport.ts"
import { after, type Cancel } from "../../../schemas/runtime/clock.ts"

/** The most bytes of a reply. Replies are a few lines long. */
const RESPONSE_MAX_BYTES = 65_536
const GOODBYE_MS = 1000

export type Settings = Pick<Limits["service"]["letters"], "letter_timeout_ms" | "letters_at_once" | "idle_ms"> & {
  readonly name: string
  /** True if the server's certificate is not checked. Certificates of public mail servers prove nothing. */
  readonly unverified?: boolean
}

export class Handing {
  readonly message: Message
  /** True once the server has asked for the message. From then on no second connection may send it. */
  begun = false
  /** True once all of the message is sent. From then on the server may have taken it. */
  whole = false

  constructor(message: Message) {
    this.message = message
  }
}

/** The bytes of one message. They are read only after the server has agreed to take them. */
class Body extends Readable {
  private readonly handing: Handing

  constructor(handing: Handing) {
    super()
    this.handing = handing
  }

  override _read(): void {
    if (this.handing.begun) {
      this.handing.whole = true
      this.push(null)
    } else {
      this.handing.begun = true
      this.push(this.handing.message.bytes)
    }
  }
}

/** The outcome of an attempt. `fault`: `null` if the server has taken the message. */
export interface Handed {
  readonly fault: SmtpFault | null
}

export class Connections {
  private readonly clock: Clock.Clock
  private readonly server: MailServer
  private readonly settings: Settings
  private readonly options: SMTPConnectionOptions
  private readonly idle = new Map<SMTPConnection, Cancel>()
  private closed = false

  constructor(clock: Clock.Clock, server: MailServer, settings: Settings) {
    this.clock = clock
    this.server = server
    this.settings = settings
    this.options = optionsOf(server, settings)
  }

  /** An interruption closes the connection. */
  deliver(handing: Handing): Effect.Effect<Handed> {
    return Effect.suspend(() => {
      const kept = this.take()
      if (kept === undefined) return this.over(this.open(), handing, false)
      return Effect.flatMap(this.over(kept, handing, true), (handed) =>
        // The connection was closed already, which says nothing about the server.
        handed.fault !== null && !handed.fault.replied && !handing.begun
          ? this.over(this.open(), handing, false)
          : Effect.succeed(handed)
      )
    })
  }

  close(): void {
    this.closed = true
    for (const connection of this.idle.keys()) {
      this.forget(connection)
      connection.quit()
    }
  }

  private open(): SMTPConnection {
    const connection = new SMTPConnection(this.options)
    // Waiting operations also get the error. Without any listener it would end the process.
    connection.on("error", () => this.forget(connection))
    connection.once("end", () => this.forget(connection))
    return connection
  }

  private take(): SMTPConnection | undefined {
    const [connection] = this.idle.keys()
    if (connection !== undefined) this.forget(connection)
    return connection
  }

  private keep(connection: SMTPConnection): void {
    if (this.closed || this.idle.size >= this.settings.letters_at_once) return connection.quit()
    const over = (): void => {
      this.forget(connection)
      connection.quit()
    }
    this.idle.set(connection, after(this.clock, this.settings.idle_ms, over, "unref"))
  }

  private forget(connection: SMTPConnection): void {
    this.idle.get(connection)?.()
    this.idle.delete(connection)
  }

  private over(connection: SMTPConnection, handing: Handing, isOpen: boolean): Effect.Effect<Handed> {
    return Effect.callback((resume) => {
      const body = new Body(handing)
      const leave = (): void => {
        connection.off("error", failed)
        connection.off("end", ended)
      }
      const giveUp = (): void => {
        leave()
        // The server takes no message without its end, so sending may stop here.
        body.destroy()
        connection.close()
      }
      const failed = (error: unknown): void => {
        giveUp()
        resume(Effect.succeed({ fault: faultOf(error) }))
      }
      const ended = (): void => failed(null)
      connection.once("error", failed)
      connection.once("end", ended)
      const send = (): void => {
        const { from, to, bytes } = handing.message
        connection.send({ from, to: [to], size: bytes.length }, body, (error) => {
          if (error) return failed(error)
          leave()
          this.keep(connection)
          resume(Effect.succeed({ fault: null }))
        })
      }
      if (isOpen) send()
      else this.begin(connection, send, failed)
      return Effect.sync(giveUp)
    })
  }

  private begin(connection: SMTPConnection, then: () => void, failed: (error: unknown) => void): void {
    const { login } = this.server
    connection.connect((error) => {
      if (error) return failed(error)
      if (login === null) return then()
      const { user, password: pass } = login
      connection.login({ user, pass, credentials: { user, pass } }, (refused) => (refused ? failed(refused) : then()))
    })
  }
}

const optionsOf = (
  { host, port, tls }: MailServer,
  { name, unverified = false, letter_timeout_ms }: Settings
): SMTPConnectionOptions => ({
  host,
  port,
  secure: tls === "implicit",
  requireTLS: tls === "starttls",
  ignoreTLS: tls === "off",
  tls: { minVersion: "TLSv1.2", rejectUnauthorized: !unverified },
  name,
  connectionTimeout: letter_timeout_ms,
  greetingTimeout: letter_timeout_ms,
  socketTimeout: letter_timeout_ms,
  dnsTimeout: letter_timeout_ms,
  socketCloseTimeout: GOODBYE_MS,
  maxResponseSize: RESPONSE_MAX_BYTES,
  logger: false
})
