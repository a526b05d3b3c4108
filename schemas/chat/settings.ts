/**
 * Reads the settings of the chat by which owners are reached from the environment (contract 16, 20). A problem never
 * repeats the token.
 */

export interface ChatSettings {
  /** The bot's token, which is secret. */
  readonly token: string
  /** Address of the Bot API, without a slash at its end. */
  readonly url: string
}

export type ChatSettingsResult =
  | { readonly ok: true; readonly settings: ChatSettings | null }
  | { readonly ok: false; readonly problem: string }

type Env = Readonly<Record<string, string | undefined>>

const BOT_API = "https://api.telegram.org"
/** The bot's number, and a secret. The secret gives full control over the bot. */
const TOKEN = /^\d{1,20}:[A-Za-z0-9_-]{20,100}$/
const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\]|localhost)$/

const given = (env: Env, name: string): string => env[name]?.trim() ?? ""

/** The addresses of requests contain the token, so plain HTTP is allowed only to this machine. */
const isAddress = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  if (username + password + search + hash !== "") return false
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname))
}

/** Without a token the settings are `null`, and there is no chat. */
export const readChatSettings = (env: Env): ChatSettingsResult => {
  const [token, url] = [given(env, "HUB_TELEGRAM_TOKEN"), given(env, "HUB_TELEGRAM_URL")]
  if (token !== "" && !TOKEN.test(token))
    return {
      ok: false,
      problem: "HUB_TELEGRAM_TOKEN must be a bot's token, a number and a secret with a colon between"
    }
  if (url !== "" && !isAddress(url))
    return { ok: false, problem: "HUB_TELEGRAM_URL must be an https address without user, query or fragment" }
  if (token === "") return { ok: true, settings: null }
  return { ok: true, settings: { token, url: (url === "" ? BOT_API : url).replace(/\/$/, "") } }
}
