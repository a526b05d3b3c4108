/** Reads the bearer token of a request, for sessions of people and tokens of vaults. */
import type { Call } from "../http/call.ts"

const SCHEME = /^Bearer +([^ ]+) *$/i

/** The token of `Authorization: Bearer`. Empty if the header has another form; `null` if there is no header. */
export const bearerToken = (call: Call): string | null => {
  const header = call.header("authorization")
  return header === undefined ? null : (SCHEME.exec(header)?.[1] ?? "")
}
