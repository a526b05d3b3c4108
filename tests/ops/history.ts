/**
 * A real agent with a past worth replaying: registered by questions, changed, rotated. With every secret that this
 * took.
 */
import { logOf, type TestService } from "../support/service.ts"
import { newIdentity } from "../support/identity.ts"
import { dataOf } from "../support/outcome.ts"
import { freshHandle } from "../support/register.ts"
import { rotate } from "../support/rotation.ts"
import { AgentClient } from "../support/client.ts"
import { answersOf, Applicant } from "../api/steps.ts"
import type { Command, Options } from "../../ops/cli/command.ts"
import { Finding } from "../../ops/cli/command.ts"

/** Set last, so that nothing is ever delivered there. */
const WEBHOOK = "http://127.0.0.1:19999/hook?key=in-the-address"

export interface History {
  readonly id: string
  readonly handle: string
  /** `HX-…` */
  readonly number: string
  readonly challenge: string
  readonly firstKey: string
  readonly secondKey: string
  readonly secondHubId: string
  readonly client: AgentClient
  /** As they stand in the log or were told to the agent, and must be shown nowhere. */
  readonly secrets: ReadonlyArray<string>
}

export async function liveThrough(service: TestService): Promise<History> {
  const edge = service.edges[0] ?? ""
  const one = new Applicant(edge, "198.51.100.7")
  const challenge = await one.challenge()
  await one.serve(challenge)
  const answers = await answersOf(service.view, challenge.id)
  const handle = freshHandle()
  const registered = dataOf<{ hx_id: string; webhook_secret: string }>(
    await one.stepThree({ challenge_id: challenge.id, handle, name: "Ada", answers })
  )
  const { hubId: id } = one.client
  dataOf(await one.client.call("PATCH", "/api/v1/me", { body: { description: "I count things." } }))
  const next = newIdentity()
  dataOf(await rotate(one.client, id, next))
  const client = new AgentClient({ identity: next, edge: () => edge })
  dataOf(await client.call("PATCH", "/api/v1/me", { body: { name: "Countess", webhook_url: WEBHOOK } }))
  const raw = JSON.stringify([
    await logOf(service.view, "agent", id),
    await logOf(service.view, "challenge", challenge.id)
  ])
  const sealed = raw.match(/sealed1\.[\w.-]+/g) ?? []
  return {
    id,
    handle,
    challenge: challenge.id,
    client,
    number: registered.hx_id,
    firstKey: one.client.identity.publicKey,
    secondKey: next.publicKey,
    secondHubId: next.hubId,
    secrets: [registered.webhook_secret, ...sealed, ...Object.values(answers).map((answer) => JSON.stringify(answer))]
  }
}

/** What the command prints. */
export async function said(
  command: Command,
  service: TestService,
  positionals: ReadonlyArray<string>,
  values: Options = {}
): Promise<string> {
  const args = { positionals, values }
  const result = await (command.alone?.(args) ?? command.run?.(service.view, args))
  if (result instanceof Finding) return result.text
  return typeof result === "string" ? result : JSON.stringify(result)
}
