/** Registration for tests about something else: the bypass token replaces the proof of work and the questions. */
import { randomBytes } from "node:crypto"
import { waitFor } from "../harness/index.ts"
import type { AgentClient } from "./client.ts"
import { type Answer, send } from "./http.ts"

/** The bypass token that a test system must be started with (`testService`). */
export const BYPASS_TOKEN = "only-for-tests-of-this-service"

export interface Registered {
  readonly id: string
  readonly hx_id: string
  readonly handle: string
  readonly name: string
  readonly webhook_secret: string
  readonly created_at: string
}

export interface RegisterOptions {
  readonly handle?: string
  readonly name?: string
  readonly more?: Readonly<Record<string, unknown>>
  readonly idempotencyKey?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly edge: string
}

export const freshHandle = (): string => `a${randomBytes(8).toString("hex")}`

type Headers = Readonly<Record<string, string>>

export async function askChallenge(client: AgentClient, edge: string, headers: Headers = {}): Promise<Answer> {
  return send({
    edge,
    method: "POST",
    path: "/api/v1/register/challenge",
    headers,
    body: JSON.stringify({ public_key: client.identity.publicKey })
  })
}

export async function challengeId(client: AgentClient, edge: string, headers: Headers = {}): Promise<string> {
  const answer = await waitFor(
    async () => {
      const one = await askChallenge(client, edge, headers)
      return one.status === 503 ? null : one
    },
    { describe: "a challenge" }
  )
  if (answer.status !== 201) throw new Error(`no challenge: ${answer.status} ${answer.text}`)
  return (answer.json.data as { id: string }).id
}

export function registrationForm(
  challenge: string,
  options: Omit<RegisterOptions, "edge"> = {}
): Record<string, unknown> {
  const handle = options.handle ?? freshHandle()
  return {
    challenge_id: challenge,
    handle,
    name: options.name ?? `Agent ${handle}`,
    answers: {},
    captcha_bypass: BYPASS_TOKEN,
    ...options.more
  }
}

export async function register(client: AgentClient, options: RegisterOptions): Promise<Registered> {
  const challenge = await challengeId(client, options.edge, options.headers)
  const answer = await client.retrying("POST", "/api/v1/register", {
    body: registrationForm(challenge, options),
    edge: options.edge,
    ...(options.headers === undefined ? {} : { headers: options.headers }),
    idempotencyKey: options.idempotencyKey ?? `register ${challenge}`
  })
  if (answer.status !== 201) throw new Error(`not registered: ${answer.status} ${answer.text}`)
  return answer.json.data as Registered
}

/** Admits an agent that was made by the runtime (contract 22). */
export const admit = async (client: AgentClient, edge: string): Promise<Answer> =>
  client.call("POST", "/api/v1/me/admission", {
    body: { challenge_id: await challengeId(client, edge), answers: {}, captcha_bypass: BYPASS_TOKEN }
  })
