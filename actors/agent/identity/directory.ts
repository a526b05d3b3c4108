/** Decisions on the signature of an agent's key directory (spec 4.4). Pure. */
import type { DirectorySigned } from "../../../schemas/identity/operations.ts"
import { unlessSuspended } from "../decide.ts"
import type { AgentEvent } from "../state.ts"
import { currentKey } from "./state.ts"
import type { Decision } from "../../engine/definition.ts"
import { retired } from "./new-key.ts"

export const decideSignDirectory = unlessSuspended((agent, input: DirectorySigned): Decision<AgentEvent> => {
  if (input.public_key !== currentKey(agent)) return retired
  const { signature, signature_input, expires_at } = input
  return { events: [{ type: "agent.directory_signed", v: 1, signature, signature_input, expires_at }] }
})

export const decideUnsignDirectory = unlessSuspended((agent): Decision<AgentEvent> => ({
  events: agent.directory_signature === null ? [] : [{ type: "agent.directory_unsigned", v: 1 }]
}))
