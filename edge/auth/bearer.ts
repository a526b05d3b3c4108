import type { Call } from "../http/call.ts"

const SCHEME = /^Bearer +([^ ]+) *$/i

/** The token of `Authorization: Bearer`: empty where it is of another form, `null` where none came. */
export const bearerToken = (call: Call): string | null => {
  const header = call.header("authorization")
  return header === undefined ? null : (SCHEME.exec(header)?.[1] ?? "")
}
