/**
 * Whether who signed a held request may still read: asked of the agent's actor anew, with the signature that was
 * settled when the request came in, so that it draws on no bucket again.
 */
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import type { ErrorCode, Refusal } from "../../schemas/errors.ts"

/** Nobody could tell: no verdict either way. */
const NO_VERDICT: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unavailable", "overloaded", "internal_error"])

export type Right = "good" | "unknown" | { readonly refused: Refusal }

export const rightOf = async (bus: Bus, call: Call, deadlineMs: number): Promise<Right> => {
  call.deadline = Date.now() + deadlineMs
  const outcome = await bus.outcome(
    call,
    { actor: call.ticket?.home ?? "", op: "agent.authenticate", input: null },
    true
  )
  if (outcome.ok) return "good"
  return NO_VERDICT.has(outcome.refusal.code) ? "unknown" : { refused: outcome.refusal }
}
