/** Describes a fault of a mail server in our own words, because the server's may repeat an address or a password. */
import { isNoSuchAddress } from "../../../schemas/mail/bounces.ts"

export interface SmtpFault {
  readonly reason: string
  /** True if no further attempt can succeed. */
  readonly final: boolean
  /** True if the server itself has reported the fault. */
  readonly replied: boolean
  /**
   * The reason why every further attempt fails: the address or the message. `null` if a further attempt may succeed.
   */
  readonly of: "address" | "message" | null
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNECTION: "the connection ended",
  ETIMEDOUT: "timeout",
  ESOCKET: "no connection",
  EDNS: "the mail server's name is not known",
  ETLS: "TLS failed",
  EAUTH: "the mail server refused the login",
  EPROTOCOL: "the mail server does not speak SMTP"
}

/** Node's error codes for faults of TLS. The library reports them as faults of the socket. */
const OF_TLS = /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_)/

interface SmtpReply {
  readonly code: string
  readonly command: string
  /** The SMTP status; 0 if there was no reply. */
  readonly status: number
}

const toldBy = (error: unknown): SmtpReply => {
  const { code, originalCode, command, responseCode } = (typeof error === "object" && error !== null ? error : {}) as {
    readonly code?: unknown
    readonly originalCode?: unknown
    readonly command?: unknown
    readonly responseCode?: unknown
  }
  return {
    code: typeof originalCode === "string" && OF_TLS.test(originalCode) ? "ETLS" : typeof code === "string" ? code : "",
    command: typeof command === "string" ? command : "",
    status: typeof responseCode === "number" && Number.isInteger(responseCode) ? responseCode : 0
  }
}

/**
 * Commands whose refusals concern the letter. A refusal of any other command, such as one about the server's
 * configuration, may change with the next attempt.
 */
const ABOUT_THE_LETTER = /^(?:MAIL FROM|RCPT TO|DATA)$/

/** An error of `null` means that the connection ended without a reply. */
export const faultOf = (error: unknown): SmtpFault => {
  const { code, command, status } = toldBy(error)
  const replied = status >= 400 && status < 600
  const words = REASONS[code] ?? (error === null ? REASONS["ECONNECTION"] : undefined) ?? "the mail server refused it"
  const final = ABOUT_THE_LETTER.test(command) && status >= 500 && status < 600 && status !== WRONG_ORDER
  const of = !final ? null : command === "RCPT TO" && isOfAddress(error, status) ? "address" : "message"
  return { reason: replied ? `${words} (${status})` : words, final, replied, of }
}

/** A permanent enhanced status code (RFC 3463). */
const ENHANCED = /\b5\.\d{1,3}\.\d{1,3}\b/
/** Without an enhanced code, these words blame the sender, the content or a full mailbox, and not the address. */
const NOT_OF_ADDRESS = /block|spam|polic|reputation|denied|listed|blacklist|dnsbl|reject|full|quota|space/i
/** Without an enhanced code, these statuses of RFC 5321 concern the address. */
const ADDRESS_STATUSES: ReadonlySet<number> = new Set([550, 551, 553])

const isOfAddress = (error: unknown, status: number): boolean => {
  const told = typeof error === "object" && error !== null && "response" in error ? error.response : ""
  const response = typeof told === "string" ? told.slice(0, RESPONSE_LOOKED_AT_CHARS) : ""
  const [enhanced] = ENHANCED.exec(response) ?? []
  return enhanced === undefined
    ? ADDRESS_STATUSES.has(status) && !NOT_OF_ADDRESS.test(response)
    : isNoSuchAddress(enhanced)
}

const RESPONSE_LOOKED_AT_CHARS = 200

/** This status says nothing about the letter: the server did not expect this command in the session's state. */
const WRONG_ORDER = 503
