/**
 * Cookies of the owner's space and of the operators' console, which are all that have any.
 *
 * Invariants
 *  - None is seen by a script, sent from another site's forms, or sent outside its space. With an https address it is
 *    sent over https only, and its name says so, so that nobody on the way can have set it.
 *  - A name that comes with two values counts as none: one of them was set by somebody else, and which is not told.
 *  - The values are our own: letters, digits, `_` and `-`.
 */
import type { Call } from "./call.ts"

const VALUE = /^[A-Za-z0-9_-]{1,200}$/

/** The value of a name; `null` if none came that could be ours. */
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
  /** `null`: until the browser is closed. */
  readonly set: (call: Call, value: string, maxAgeSeconds: number | null) => void
  readonly clear: (call: Call) => void
}

/** Cookies of one space, by their plain names. */
type Named = (plainName: string) => Cookie

/** For a path of the service, and what is below it. */
export const cookiesAt = (baseUrl: string, path: string): Named => {
  const { protocol, pathname } = new URL(baseUrl)
  return cookies(protocol, `Path=${pathname.replace(/\/$/, "")}${path}; HttpOnly; SameSite=Lax`, "__Secure-")
}

/** For a host of its own: no page of another site leads in, and no neighbour's host can set one. */
export const strictCookies = (origin: string): Named =>
  cookies(new URL(origin).protocol, "Path=/; HttpOnly; SameSite=Strict", "__Host-")

const cookies = (protocol: string, attributes: string, prefix: "__Secure-" | "__Host-"): Named => {
  const isSecure = protocol === "https:"
  const scope = `${attributes}${isSecure ? "; Secure" : ""}`
  return (plainName) => {
    const name = isSecure ? `${prefix}${plainName}` : plainName
    const put = (call: Call, value: string, more: string): void => {
      // One of each name: what is said last is what holds.
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
