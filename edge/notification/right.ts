/**
 * Checks that the signer of a held request may still read. The agent's actor is asked again with the signature that was
 * verified when the request came, so that no bucket is drawn from twice. For a vault's token, the vault is asked.
 */
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import type { Holder } from "../http/holder.ts"
import type { ErrorCode, Refusal } from "../../schemas/errors.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"

/** Codes which mean that the right could not be checked. */
const NO_VERDICT: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unavailable", "overloaded", "internal_error"])

const asHolder = ({ agent: actor, type, hash }: Holder) =>
  ({ actor, op: "vault.by_token", input: { type, hash }, anew: true }) as const

export type Right = "good" | "unknown" | { readonly refused: Refusal }

export const rightOf = async (bus: Bus, call: Call, deadlineMs: number): Promise<Right> => {
  call.deadline = wallMs(call.clock) + deadlineMs
  const { holder } = call
  const outcome =
    holder === null
      ? await bus.outcome(call, { actor: call.ticket?.home ?? "", op: "agent.authenticate", input: null }, true)
      : await bus.outcome(call, asHolder(holder), false)
  if (outcome.ok) return "good"
  return NO_VERDICT.has(outcome.refusal.code) ? "unknown" : { refused: outcome.refusal }
}
