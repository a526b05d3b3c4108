/** Finding an agent by what others call it. */
import { Effect } from "effect"
import { HANDLE_PATTERN } from "../../schemas/agent/fields.ts"
import { notFound, type Refusal } from "../../schemas/errors.ts"
import { agentNumber } from "../../schemas/signing/identity.ts"
import { HUB_ID_PATTERN } from "../../schemas/signing/key.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"
import type { Bus } from "./bus.ts"

/** No handle reads so (spec 2.1). */
const AGENT_NUMBER = /^hx-\d{1,15}$/i

const notByNumber = (number: string): Refusal => {
  const { details, ...refusal } = notFound("agent")
  return {
    ...refusal,
    details: {
      ...details,
      hint: `Agents are looked up by handle or hub id here; by number at ${API_PREFIX}/id/${number.toUpperCase()}.`
    }
  }
}

/** The hub id behind a reference; a text of neither shape names nobody. */
export const agentOf = (bus: Bus, call: Call, ref: string): Effect.Effect<string, Refused> => {
  if (HUB_ID_PATTERN.test(ref)) return Effect.succeed(ref)
  if (AGENT_NUMBER.test(ref)) return Effect.fail(refuse(notByNumber(ref)))
  if (!HANDLE_PATTERN.test(ref)) return Effect.fail(refuse(notFound("agent")))
  const handle = ref.toLowerCase()
  return Effect.map(bus.read(call, { actor: handle, op: "handle.resolve", input: null }), (found) => found.agent)
}

/** The same where an agent number will do as well, in any case and with zeros or without. */
export const numberedAgentOf = (bus: Bus, call: Call, ref: string): Effect.Effect<string, Refused> => {
  if (!AGENT_NUMBER.test(ref)) return agentOf(bus, call, ref)
  const number = agentNumber(Number(ref.slice("HX-".length)))
  return bus.read(call, { actor: number, op: "number.resolve", input: null }).pipe(
    Effect.map((found) => found.agent),
    Effect.mapError((refused) => (refused.refusal.code === "not_found" ? refuse(notFound("agent")) : refused))
  )
}

/** The public profile of an agent that may be seen, as ready JSON. */
export const profileOf = (bus: Bus, call: Call, ref: string): Effect.Effect<Uint8Array, Refused> =>
  Effect.flatMap(agentOf(bus, call, ref), (actor) => bus.ask(call, { actor, op: "agent.profile", input: null }))
