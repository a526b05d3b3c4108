/**
 * The cookies of the owner's pages, of links to compartments, and of the operators' console.
 *
 * Invariants
 *  - No script can read a cookie. Browsers do not send it with POST forms of other sites (form.ts has the exceptions),
 *    nor outside its own paths. If the service's address is https, it is sent over https only, and its name's prefix
 *    says so, so that nobody on the network can set it.
 *  - If a name has two values, both are ignored: one of them was set by another host, and it is not known which.
 *  - Values that the service sets contain only letters, digits, `_` and `-`.
 */
import type { Call } from "./call.ts"

const VALUE = /^[A-Za-z0-9_-]{1,200}$/

/** The value of a cookie; `null` if there is none that the service can have set. */
const valueOf = (header: string, name: string): string | null => {
  const values = new Set(
    header
      .split(";")
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${name}=`))
      .map((pair) => pair.slice(name.length + 1))
  )
  const [value] = values
  return value !== undefined && values.size === 1 && VALUE.test(value) ? value : null
}

export interface Cookie {
  readonly of: (call: Call) => string | null
  /** `maxAgeSeconds` is `null` to keep the cookie until the browser is closed. */
  readonly set: (call: Call, value: string, maxAgeSeconds: number | null) => void
  readonly clear: (call: Call) => void
}

/** Makes a cookie. The protocol decides if a prefix is put before `plainName`. */
type CookieBy = (plainName: string) => Cookie

/** Cookies for a path of the service and everything below it. */
export const cookiesAt = (baseUrl: string, path: string): CookieBy => {
  const { protocol, pathname } = new URL(baseUrl)
  return cookies(protocol, `Path=${pathname.replace(/\/$/, "")}${path}; HttpOnly; SameSite=Lax`, "__Secure-")
}

/**
 * Cookies for a separate host. Browsers do not send them with requests that pages of other sites start. Over https, no
 * other host can set them.
 */
export const strictCookies = (origin: string): CookieBy =>
  cookies(new URL(origin).protocol, "Path=/; HttpOnly; SameSite=Strict", "__Host-")

const cookies = (protocol: string, attributes: string, prefix: "__Secure-" | "__Host-"): CookieBy => {
  const isSecure = protocol === "https:"
  const scope = `${attributes}${isSecure ? "; Secure" : ""}`
  return (plainName) => {
    const name = isSecure ? `${prefix}${plainName}` : plainName
    const put = (call: Call, value: string, more: string): void => {
      // A cookie that is set again replaces the earlier one, so each name is sent once.
      const before = call.cookies.findIndex((cookie) => cookie.startsWith(`${name}=`))
      if (before !== -1) call.cookies.splice(before, 1)
      call.cookies.push(`${name}=${value}; ${scope}${more}`)
    }
    return {
      of: (call) => valueOf(call.header("cookie") ?? "", name),
      set: (call, value, maxAgeSeconds) => put(call, value, maxAgeSeconds === null ? "" : `; Max-Age=${maxAgeSeconds}`),
      clear: (call) => put(call, "", "; Max-Age=0")
    }
  }
}
