/** Settings of the operators' console. */
import { withoutTrailing } from "../text.ts"

export interface ConsoleSettings {
  /** Address that the console listens on. */
  readonly host: string
  readonly port: number
  /** Address that operators type, without a trailing slash. */
  readonly url: string
  /** Allows one-time links, which the bus user `operator` asks for. `npm start` sets it. */
  readonly links: boolean
}

export type ConsoleSettingsResult =
  | { readonly ok: true; readonly settings: ConsoleSettings }
  | { readonly ok: false; readonly problem: string }

const PORT_DEFAULT = 8081
const PORT_MAX = 65_535
const HOST = /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$|^[0-9A-Fa-f:]{2,45}$/

/**
 * True if passkeys work at the console. They belong to the host of the service's public address, so the console must be
 * at that host or a subdomain of it (Web Authentication, "rpId").
 */
export const takesPasskeys = (baseUrl: string, consoleUrl: string): boolean => {
  const [own, at] = [new URL(baseUrl).hostname, new URL(consoleUrl).hostname]
  return at === own || at.endsWith(`.${own}`)
}

const isOrigin = (text: string): boolean =>
  URL.canParse(text) &&
  /^https?:$/.test(new URL(text).protocol) &&
  withoutTrailing(text, "/").toLowerCase() === new URL(text).origin

export const readConsoleSettings = (env: Readonly<Record<string, string | undefined>>): ConsoleSettingsResult => {
  const text = (name: string): string => env[name]?.trim() ?? ""
  const host = text("HUB_CONSOLE_HOST") || "127.0.0.1"
  if (!HOST.test(host)) return { ok: false, problem: "HUB_CONSOLE_HOST must be an address of this machine" }
  const port = Number(text("HUB_CONSOLE_PORT") || PORT_DEFAULT)
  if (!Number.isInteger(port) || port < 1 || port > PORT_MAX)
    return { ok: false, problem: `HUB_CONSOLE_PORT must be a whole number from 1 to ${PORT_MAX}` }
  const url = text("HUB_CONSOLE_URL") || `http://${host.includes(":") ? `[${host}]` : host}:${port}`
  if (!isOrigin(url)) return { ok: false, problem: "HUB_CONSOLE_URL must be an http or https address without a path" }
  const links = text("HUB_CONSOLE_LINKS") || "false"
  if (links !== "true" && links !== "false")
    return { ok: false, problem: "HUB_CONSOLE_LINKS must be one of true, false" }
  return { ok: true, settings: { host, port, url: new URL(url).origin, links: links === "true" } }
}
