/**
 * The address of the service, and the two forms of an operation's path: the one that is sent and the one that is
 * signed.
 */
import { INSIDE_HOST } from "../../../schemas/compartment/hub-url.ts"
import { normaliseHost } from "../../../schemas/signing/request.ts"
import { withoutTrailing } from "../../../schemas/text.ts"
import { API_PREFIX } from "../../../schemas/version.ts"
import { clientError, invalid } from "./errors.ts"

const LOOPBACK = /^(localhost|[^.]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/

export const isLoopback = (url: URL): boolean => LOOPBACK.test(url.hostname)

/** INSIDE_HOST is the name of the host machine within compartments. */
const isOwnMachine = (url: URL): boolean => isLoopback(url) || url.hostname === INSIDE_HOST

/**
 * Throws if clear text would be sent over a network, where others can read it. Clear text is allowed to this machine,
 * or if `allowHttp` is set.
 */
export const requireSecure = (url: URL, allowHttp: boolean): void => {
  if (url.protocol !== "https:" && url.protocol !== "http:") throw invalid("url", "must be an http or https address")
  if (url.protocol === "http:" && !allowHttp && !isOwnMachine(url)) {
    throw clientError("insecure_address", `${url.host} is addressed without TLS: use https, or allow http`)
  }
}

export interface HubAddress {
  /** The service's address without a trailing slash. It may have a path, which is not signed. */
  readonly base: string
  /** The third line of the signed string. */
  readonly host: string
  /** The operation's address, and its path and query as they are signed. */
  readonly locate: (target: string) => { readonly url: string; readonly signed: string }
}

const parse = (argument: string, text: string): URL => {
  if (!URL.canParse(text)) throw invalid(argument, "must be an http or https address")
  return new URL(text)
}

/** `host` is the service's own name, if it is reached by another one. */
export const hubAddress = (hub: string, host: string | undefined, allowHttp: boolean): HubAddress => {
  const url = parse("hub", hub)
  requireSecure(url, allowHttp)
  if (url.username !== "" || url.password !== "") throw invalid("hub", "must not hold a user name or password")
  const line = normaliseHost(host ?? url.host)
  if (line === null) throw invalid("host", "must be a host name")
  const prefix = withoutTrailing(url.pathname, "/")
  return {
    base: `${url.origin}${prefix}`,
    host: line,
    locate: (target) => {
      if (!target.startsWith("/")) throw invalid("path", "must start with /")
      const whole = parse("path", `${url.origin}${prefix}${API_PREFIX}${target === "/" ? "" : target}`)
      // The signature covers the path as it is sent, after the URL parser has removed dot segments and the like.
      const signed = `${whole.pathname.slice(prefix.length)}${whole.search}`
      if (signed !== API_PREFIX && !/^\/api\/v1[/?]/.test(signed)) throw invalid("path", `leads out of ${API_PREFIX}`)
      return { url: `${url.origin}${whole.pathname}${whole.search}`, signed }
    }
  }
}

type Values = Readonly<Record<string, string | number | undefined>>

/** Fills in `:name` and appends the query. Each value is encoded as one segment. */
export const targetOf = (path: string, params: Values = {}, query: Values = {}): string => {
  const filled = path.replace(/:([a-z_]+)/g, (_, name: string) => {
    const value = String((Object.hasOwn(params, name) ? params[name] : undefined) ?? "")
    if (value === "" || value === "." || value === "..") throw invalid(name, "must be given")
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value))
  const text = search.toString()
  return text === "" ? filled : `${filled}?${text}`
}
