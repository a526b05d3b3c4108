/** A mail server of another service. It accepts mail, or refuses it as the test says. */
import type { AddressInfo } from "node:net"
import { SMTPServer } from "smtp-server"

export interface Taken {
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly raw: string
}

export interface MailHost {
  readonly port: number
  readonly taken: Array<Taken>
  /** Answers in place of acceptance, by the local part of the recipient. */
  readonly refuses: Map<string, { readonly at: "rcpt" | "data"; readonly code: number; readonly says: string }>
  /** Local parts whose message is read and never answered. */
  readonly silent: Set<string>
  readonly to: (address: string) => ReadonlyArray<Taken>
  readonly stop: () => Promise<void>
}

const failure = (code: number, says: string): Error => Object.assign(new Error(says), { responseCode: code })

const localOf = (address: string): string => address.slice(0, address.lastIndexOf("@"))

export const mailHost = async (): Promise<MailHost> => {
  const taken: Array<Taken> = []
  const refuses: MailHost["refuses"] = new Map()
  const silent = new Set<string>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 100,
    onRcptTo: ({ address }, _session, done) => {
      const refused = refuses.get(localOf(address))
      done(refused?.at === "rcpt" ? failure(refused.code, refused.says) : undefined)
    },
    onData: (stream, session, done) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope
        const to = rcptTo.map(({ address }) => address)
        const refused = to.map((one) => refuses.get(localOf(one))).find((one) => one?.at === "data")
        if (refused !== undefined) return done(failure(refused.code, refused.says))
        taken.push({ from: mailFrom === false ? "" : mailFrom.address, to, raw: Buffer.concat(chunks).toString() })
        if (!to.some((one) => silent.has(localOf(one)))) done()
      })
    }
  })
  server.on("error", () => undefined)
  const listener = server.listen(0, "127.0.0.1")
  await new Promise<void>((resolve) => listener.once("listening", () => resolve()))
  return {
    port: (listener.address() as AddressInfo).port,
    taken,
    refuses,
    silent,
    to: (address) => taken.filter(({ to }) => to.includes(address)),
    stop: () => new Promise((resolve) => server.close(() => resolve()))
  }
}
