/**
 * Reads the settings for letters to people from the environment (contract 16). A problem never repeats a value that may
 * contain a password.
 */
import { MAIL_ADDRESS, SINGLE_LINE } from "../plain-text.ts"

export interface MailServer {
  readonly host: string
  readonly port: number
  /** `starttls` sends nothing without TLS. `offered` uses TLS if the server offers it. */
  readonly tls: "implicit" | "starttls" | "offered" | "off"
  /** The user name and password, which are secret. */
  readonly login: { readonly user: string; readonly password: string } | null
}

export interface Sender {
  readonly name: string
  readonly address: string
}

export type LetterSettings =
  | { readonly transport: "file"; readonly from: Sender }
  | { readonly transport: "smtp"; readonly from: Sender; readonly server: MailServer }
  /** Sent in the same way as agents' mail. */
  | { readonly transport: "mail"; readonly from: Sender }

export type LetterSettingsResult =
  | { readonly ok: true; readonly settings: LetterSettings | null }
  | { readonly ok: false; readonly problem: string }

interface Service {
  readonly mode: "development" | "production"
  readonly baseUrl: string
  readonly name: string
  /** True if this process sends letters. Settings that are only needed for that may be missing elsewhere. */
  readonly sends: boolean
}

type Env = Readonly<Record<string, string | undefined>>

const NAME_MAX_CHARS = 80
const SMTP_PORT = 587
const SMTPS_PORT = 465
const NO_SERVER =
  "HUB_SMTP_URL must be an address such as smtp://user:password@host:587 or smtps://host, " +
  "with nothing behind the port but ?tls=off, which takes no password"

export const readLetterSettings = (env: Env, service: Service): LetterSettingsResult => {
  const transport = given(env, "HUB_LETTERS") ?? (service.mode === "development" ? "file" : null)
  if (transport !== null && transport !== "file" && transport !== "smtp" && transport !== "mail")
    return problem("HUB_LETTERS must be one of file, smtp, mail")
  if (service.sends && transport === "mail" && (given(env, "HUB_MAIL_PROVIDER") ?? "off") === "off")
    return problem("HUB_LETTERS=mail needs HUB_MAIL_PROVIDER")
  const smtpUrl = given(env, "HUB_SMTP_URL")
  const server = mailServerOf(smtpUrl)
  if (smtpUrl !== null && server === null) return problem(NO_SERVER)
  const from = senderOf(given(env, "HUB_LETTERS_FROM"), service)
  if (from === null)
    return problem(
      "HUB_LETTERS_FROM must be a mail address, or one in angle brackets behind a name of at most 80 characters"
    )
  if (transport === null) return { ok: true, settings: null }
  if (transport === "file" || transport === "mail") return { ok: true, settings: { transport, from } }
  if (server === null) return service.sends ? problem(NO_SERVER) : { ok: true, settings: null }
  return { ok: true, settings: { transport, from, server } }
}

/**
 * The host part of the addresses that letters are from, and of their ids. `localhost` if the service is reached by an IP
 * address.
 */
export const mailHostOf = (baseUrl: string): string => {
  const { hostname } = new URL(baseUrl)
  return /^[\d.]+$|:/.test(hostname) ? "localhost" : hostname
}

const problem = (text: string): LetterSettingsResult => ({ ok: false, problem: text })

const given = (env: Env, name: string): string | null => {
  const value = env[name]?.trim()
  return value === undefined || value === "" ? null : value
}

const senderOf = (text: string | null, { name: own, baseUrl }: Service): Sender | null => {
  if (text === null) return { name: own, address: `no-reply@${mailHostOf(baseUrl)}` }
  const bracket = text.endsWith(">") ? text.lastIndexOf("<") : -1
  const name = bracket < 0 ? own : unquoted(text.slice(0, bracket).trim())
  const address = bracket < 0 ? text : text.slice(bracket + 1, -1)
  return MAIL_ADDRESS.test(address) && name.length <= NAME_MAX_CHARS && SINGLE_LINE.test(name)
    ? { name, address }
    : null
}

const unquoted = (name: string): string =>
  name.length > 1 && name.startsWith('"') && name.endsWith('"') ? name.slice(1, -1) : name

/** Parses `smtp://user:password@host:587` or `smtps://host`; `null` if the text is neither. */
export const mailServerOf = (text: string | null): MailServer | null => {
  if (text === null || !URL.canParse(text)) return null
  const url = new URL(text)
  const implicit = url.protocol === "smtps:"
  if ((!implicit && url.protocol !== "smtp:") || url.hostname === "" || url.hash !== "") return null
  if (url.pathname !== "" && url.pathname !== "/") return null
  if (url.search !== "" && (url.search !== "?tls=off" || implicit)) return null
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (user === null || password === null || (user === "") !== (password === "")) return null
  if (user !== "" && url.search !== "") return null
  const host = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname
  return {
    host,
    port: url.port === "" ? (implicit ? SMTPS_PORT : SMTP_PORT) : Number(url.port),
    tls: implicit ? "implicit" : url.search !== "" ? "off" : LOOPBACK.test(host) ? "offered" : "starttls",
    login: user === "" ? null : { user, password }
  }
}

/** Connections to this machine cannot be overheard, so they need no TLS. */
const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|localhost)$/

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
