import type { Call } from "../http/call.ts"

const SCHEME = /^Bearer +([^ ]+) *$/i

/** The token of `Authorization: Bearer`: empty if it is of another form, `null` if none came. */
export const bearerToken = (call: Call): string | null => {
  const header = call.header("authorization")
  return header === undefined ? null : (SCHEME.exec(header)?.[1] ?? "")
}
