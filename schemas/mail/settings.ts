/**
 * Reads the settings of mail from the environment (contract 16). A problem never repeats text that may be a password.
 */
import { type MailServer, mailServerOf } from "../letter/settings.ts"
import { MAIL_ADDRESS, SINGLE_LINE } from "../plain-text.ts"
import { clamdAddressOf, rspamdUrlOf, type Scanners } from "./scanners.ts"
import { readSesSettings, type SesSettings } from "./ses-settings.ts"

interface Common {
  /** The domain of addresses if an agent names none, as A-label. */
  readonly domain: string
  /** Name servers to ask, as `ip:port`. If empty, the machine's own are used. */
  readonly dnsServers: ReadonlyArray<string>
  /** True if an agent needs a confirmed owner with a verified address. */
  readonly requireOwner: boolean
  /** The address for complaints, in one line, for the foot of agents' mail. */
  readonly abuseContact: string | null
  /** The address to which mail to `postmaster@` is forwarded; `null` if it is stored. */
  readonly postmaster: string | null
  readonly scanners: Scanners
}

/** Mail arrives by SMTP, directly from its senders. */
export interface SmtpMail extends Common {
  readonly provider: "smtp"
  /** The host that the MX records of agents' own domains name. */
  readonly host: string
  /** The port that receives SMTP; 0 for a free one. */
  readonly port: number
  /** Paths of PEM files. STARTTLS is offered if both are set. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  /**
   * The relay for outgoing mail. `null` to send to the recipients' servers directly, or to write files in development.
   */
  readonly relay: MailServer | null
}

/**
 * Mail is sent and received by Amazon SES, with notices by SNS (ses-settings.ts). The SDK finds its credentials by
 * itself.
 */
export interface SesMail extends Common, SesSettings {
  readonly provider: "ses"
}

export type MailSettings = SmtpMail | SesMail

export type MailSettingsResult =
  | { readonly ok: true; readonly settings: MailSettings | null }
  | { readonly ok: false; readonly problem: string }

type Env = Readonly<Record<string, string | undefined>>

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const DOMAIN_MAX_CHARS = 253
const DNS_SERVERS_MAX = 8
const PORT_MAX = 65_535
const BYTE_MAX = 255
const SMTP_PORT = 25
const ABUSE_CONTACT_MAX_CHARS = 200

/**
 * An invalid value of any setting is a problem, even if the service has no mail (contract 22). In the mode
 * `production`, settings for tests are refused.
 */
export const readMailSettings = (env: Env, mode: "development" | "production" = "production"): MailSettingsResult => {
  const provider = given(env, "HUB_MAIL_PROVIDER") ?? "off"
  if (provider !== "off" && provider !== "smtp" && provider !== "ses")
    return problem("HUB_MAIL_PROVIDER must be one of off, smtp, ses")
  const domainText = given(env, "HUB_MAIL_DOMAIN")
  const domain = mailDomain(domainText ?? "")
  if (domain === null && (domainText !== null || provider !== "off"))
    return problem("HUB_MAIL_DOMAIN must be the domain of the service's addresses, such as mail.example.org")
  const dnsServers = listOf(given(env, "HUB_DNS_SERVERS"))
  if (dnsServers.length > DNS_SERVERS_MAX || !dnsServers.every(isNameServer))
    return problem(
      `HUB_DNS_SERVERS must be at most ${DNS_SERVERS_MAX} addresses such as 192.0.2.53:53, with commas between`
    )
  const required = given(env, "HUB_MAIL_REQUIRE_OWNER") ?? "false"
  if (required !== "true" && required !== "false") return problem("HUB_MAIL_REQUIRE_OWNER must be true or false")
  const abuseContact = given(env, "HUB_MAIL_ABUSE_CONTACT")
  if (abuseContact !== null && (abuseContact.length > ABUSE_CONTACT_MAX_CHARS || !SINGLE_LINE.test(abuseContact)))
    return problem(`HUB_MAIL_ABUSE_CONTACT must be one line of at most ${ABUSE_CONTACT_MAX_CHARS} characters`)
  const postmaster = given(env, "HUB_MAIL_POSTMASTER")
  const postmasterDomain = mailDomain(postmaster?.slice(postmaster.lastIndexOf("@") + 1) ?? "")
  if (postmaster !== null && (postmasterDomain === null || !MAIL_ADDRESS.test(postmaster)))
    return problem("HUB_MAIL_POSTMASTER must be one e-mail address")
  if (postmaster !== null && postmasterDomain === domain)
    return problem("HUB_MAIL_POSTMASTER must be an address elsewhere, outside of HUB_MAIL_DOMAIN")
  const [clamdText, rspamdText] = [given(env, "HUB_CLAMD"), given(env, "HUB_RSPAMD_URL")]
  const clamd = clamdText === null ? null : clamdAddressOf(clamdText)
  if (clamdText !== null && clamd === null)
    return problem(
      "HUB_CLAMD must be where clamd listens: host:port, or the path of its socket such as /run/clamav/clamd.ctl"
    )
  const rspamd = rspamdText === null ? null : rspamdUrlOf(rspamdText)
  if (rspamdText !== null && rspamd === null)
    return problem(
      "HUB_RSPAMD_URL must be the address of Rspamd's normal worker, such as http://127.0.0.1:11333, without a user or password"
    )
  const scanners = { clamd, rspamd }
  const common = {
    domain: domain ?? "",
    dnsServers,
    scanners,
    requireOwner: required === "true",
    abuseContact,
    postmaster
  }
  const [smtp, ses] = [smtpMail(env, common), sesMail(env, common, mode, provider === "ses")]
  if (!smtp.ok) return smtp
  if (!ses.ok) return ses
  return provider === "off" ? { ok: true, settings: null } : provider === "smtp" ? smtp : ses
}

const smtpMail = (env: Env, common: Common): MailSettingsResult => {
  const hostText = given(env, "HUB_MAIL_HOST")
  const host = hostText === null ? common.domain : mailDomain(hostText)
  if (host === null) return problem("HUB_MAIL_HOST must be the name of the host that receives mail")
  const port = Number(given(env, "HUB_MAIL_PORT") ?? SMTP_PORT)
  if (!Number.isInteger(port) || port < 0 || port > PORT_MAX)
    return problem(`HUB_MAIL_PORT must be a whole number from 0 to ${PORT_MAX}`)
  const [cert, key] = [given(env, "HUB_MAIL_TLS_CERT"), given(env, "HUB_MAIL_TLS_KEY")]
  if ((cert === null) !== (key === null)) return problem("HUB_MAIL_TLS_CERT and HUB_MAIL_TLS_KEY go together")
  const tls = cert === null || key === null ? null : { cert, key }
  const relayUrl = given(env, "HUB_MAIL_RELAY")
  const relay = mailServerOf(relayUrl)
  if (relayUrl !== null && relay === null)
    return problem(
      "HUB_MAIL_RELAY must be an address such as smtp://user:password@host:587 or smtps://host, " +
        "with nothing behind the port but ?tls=off, which takes no password"
    )
  return { ok: true, settings: { provider: "smtp", ...common, host, port, tls, relay } }
}

/** If `isUsed`, the provider's settings must be complete. */
const sesMail = (env: Env, common: Common, mode: "development" | "production", isUsed: boolean): MailSettingsResult => {
  const read = readSesSettings(
    {
      region: given(env, "AWS_REGION"),
      topics: listOf(given(env, "HUB_SES_TOPICS")),
      certHosts: listOf(given(env, "HUB_SES_CERT_HOSTS")),
      configurationSet: given(env, "HUB_SES_CONFIGURATION_SET")
    },
    { mode, isUsed }
  )
  return read.ok ? { ok: true, settings: { provider: "ses", ...common, ...read.settings } } : problem(read.problem)
}

/** The domain in lower case, as A-label, of at least two labels; `null` if the text is none. */
export const mailDomain = (text: string): string | null => {
  const trimmed = text.trim().replace(/\.$/, "")
  if (trimmed === "" || /[\s/?#@:\\%[\]]/.test(trimmed) || !URL.canParse(`http://${trimmed}`)) return null
  const { hostname } = new URL(`http://${trimmed}`)
  const labels = hostname.split(".")
  const isNamed = labels.length >= 2 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? "")
  return isNamed && hostname.length <= DOMAIN_MAX_CHARS ? hostname : null
}

/** IPv4, or IPv6 in brackets, with a port or without. */
const NAME_SERVER = /^(\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i

/** Checks a name server's address, so that a wrong one stops the start by its name. */
const isNameServer = (text: string): boolean => {
  const [, address = "", port = "53"] = NAME_SERVER.exec(text) ?? []
  const isPort = Number(port) >= 1 && Number(port) <= PORT_MAX
  if (address === "" || !isPort) return false
  return address.startsWith("[")
    ? URL.canParse(`http://${address}`)
    : address.split(".").every((part) => Number(part) <= BYTE_MAX)
}

const listOf = (text: string | null): ReadonlyArray<string> =>
  (text ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")

const problem = (text: string): MailSettingsResult => ({ ok: false, problem: text })

const given = (env: Env, name: string): string | null => {
  const value = env[name]?.trim()
  return value === undefined || value === "" ? null : value
}
