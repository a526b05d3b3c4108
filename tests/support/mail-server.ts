/** A mail server on this machine that stores the mail it accepts. A test can change its behavior. */
import type { AddressInfo } from "node:net"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"

interface Taken {
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly text: string
  readonly secure: boolean
  /** The user who logged in. Absent without a login. */
  readonly user?: string
  /** The connection's number, from 1. */
  readonly connection: string
}

export interface MailServerControl {
  readonly port: number
  readonly taken: ReadonlyArray<Taken>
  /** The number of connections so far. */
  readonly connections: () => number
  readonly stop: () => Promise<void>
}

/** `data` decides on a complete message: an error refuses it. The answer is sent when `data` resolves. */
export interface Behaviour extends Pick<SMTPServerOptions, "onConnect" | "onMailFrom" | "onRcptTo" | "onAuth"> {
  readonly data?: (nth: number, taken: Taken) => Promise<Error | null> | Error | null
  readonly options?: SMTPServerOptions
  readonly port?: number
}

export const refusal = (responseCode: number, words = "no"): Error => Object.assign(new Error(words), { responseCode })

const CLOSE_MS = 200

export async function mailServer({ data, options, port = 0, ...hooks }: Behaviour = {}): Promise<MailServerControl> {
  const taken: Array<Taken> = []
  let messages = 0
  let connections = 0
  const given = Object.fromEntries(Object.entries(hooks).filter(([, hook]) => hook !== undefined))
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: CLOSE_MS,
    ...options,
    ...given,
    onConnect: (session, callback) => {
      connections++
      if (hooks.onConnect === undefined) callback()
      else hooks.onConnect(session, callback)
    },
    onData: (stream, session, callback) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.once("end", () => {
        const { envelope, secure, user, id } = session
        const one: Taken = {
          from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString("latin1"),
          secure,
          ...(typeof user === "string" ? { user } : {}),
          connection: id
        }
        void Promise.resolve(data?.(++messages, one) ?? null).then((error) => {
          if (error === null) taken.push(one)
          callback(error)
        })
      })
    }
  })
  // Errors of connections that a test breaks are ignored.
  server.on("error", () => undefined)
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  return {
    port: (server.server.address() as AddressInfo).port,
    taken,
    connections: () => connections,
    stop: () => new Promise((resolve) => server.close(() => resolve()))
  }
}
