/** Calls the vault's service with the fill service's token. */
import { readBounded } from "../sdk/client/answer.ts"
import { Refused } from "./refusal.ts"

const ASK_TIMEOUT_MS = 30_000
const ANSWER_MAX_BYTES = 4_194_304

export interface Hub {
  /** Returns the `data` of the answer. A refusal of the service is thrown as a refusal with the same code. */
  readonly ask: <A>(method: "GET" | "POST" | "DELETE", path: string, body?: object) => Promise<A>
}

const unreachable = (reason: string): Refused => new Refused("hub_unreachable", reason)

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parse = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {
    // The error is thrown below: the answer is not from a hub.
  }
  throw unreachable("The hub answered something that is no answer of a hub.")
}

const refusedAs = (status: number, { error }: Readonly<Record<string, unknown>>): Refused => {
  const { code, message, details } = isRecord(error) ? error : {}
  if (typeof code !== "string" || status >= 500) return unreachable(`The hub answered ${status}.`)
  const field = isRecord(details) && typeof details["field"] === "string" ? { field: details["field"] } : {}
  return new Refused(code, typeof message === "string" ? message : code, field)
}

const textOf = async (answer: Response): Promise<string> => {
  try {
    return await readBounded(answer, ANSWER_MAX_BYTES)
  } catch {
    throw unreachable("The hub's answer ends early, or not at all.")
  }
}

/** `ended` is called when the service refuses the token as invalid. */
export const hubAt = (origin: string, token: string, ended: () => void = () => undefined): Hub => ({
  ask: async <A>(method: string, path: string, body?: object): Promise<A> => {
    const answer = await fetch(`${origin}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A redirect must not send the token to another address.
      redirect: "error",
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS)
    }).catch((error: unknown) => {
      throw unreachable(`The hub cannot be reached: ${error instanceof Error ? error.message : "no answer"}.`)
    })
    const value = parse(await textOf(answer))
    if (!answer.ok) {
      const refused = refusedAs(answer.status, value)
      if (refused.code === "token_invalid") ended()
      throw refused
    }
    return value["data"] as A
  }
})
