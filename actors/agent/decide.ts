/** Refusals that decisions of several aspects share. Pure. */
import { notFound, type Refusal, refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { API_PREFIX } from "../../schemas/version.ts"
import type { Decision } from "../engine/definition.ts"
import type { Agent, AgentEvent, AgentState } from "./state.ts"
import { currentKey } from "./identity/state.ts"

export const missing: { readonly refused: Refusal } = { refused: notFound("agent") }

export const unknownKey = refusal("key_unknown", "The signature is good, but no agent has this key.")

/** The refusal if the key is not the agent's current one; `null` if it is. */
export const keyRefusal = (agent: Agent, publicKey: string): Refusal | null => {
  if (currentKey(agent) === publicKey) return null
  // The agent has claimed the key, but it was never current: it is a recovery key, or the new key of a recovery that is
  // pending or cancelled.
  if (!agent.keys.some((key) => key.public_key === publicKey))
    return refusal("key_unknown", "The signature is good, but the key is no agent's.")
  return { ...refusal("key_retired", "This key was replaced. Sign with the agent's current key."), status: 401 }
}

/**
 * The refusal because of the account's status (spec 3.1, 5.4); `null` if there is none. `changes`: true for operations
 * that a suspended agent may not make. Decisions repeat the gate's check, because an earlier command in the queue may
 * have closed the account.
 */
export const statusRefusal = (agent: Agent, changes: boolean): Refusal | null => {
  if (agent.status === "banned") return refusal("agent_banned", "This agent is banned.")
  if (agent.status === "deleted") return refusal("agent_deleted", "This account was deleted.")
  return agent.status === "suspended" && changes
    ? refusal("agent_suspended", "This agent is suspended: it may read, but not write.")
    : null
}

/** The API calls that turn a provisional agent into a full one (contract 22). */
export const ADMISSION = {
  challenge: `POST ${API_PREFIX}/register/challenge`,
  questions: `POST ${API_PREFIX}/register/challenge/{id}/questions`,
  answers: `POST ${API_PREFIX}/me/admission`
}

/**
 * The refusal of operations that need an admitted agent; `null` if it is admitted. An agent made for a person is
 * provisional until it passes registration's questions.
 */
export const provisionalRefusal = ({ provisional }: Agent): Refusal | null =>
  provisional
    ? refusal(
        "agent_provisional",
        "This agent was made for a person. It writes to others once it has passed registration's questions.",
        { admission: ADMISSION }
      )
    : null

/**
 * The refusal by a rate limit that is kept in the agent's state as the times of earlier uses; `null` while there is
 * room.
 */
export const windowRefusal = (
  bucket: "key_rotation" | "webhook_test" | "report",
  times: ReadonlyArray<number>,
  at: number,
  { rate_limits }: Limits,
  message: (drawn: string, retryAfter: number) => string
): Refusal | null => {
  const { requests, window_seconds } = rate_limits[bucket]
  const since = at - window_seconds * 1000
  const recent = times.filter((time) => time > since)
  if (recent.length < requests) return null
  const retryAfter = Math.max(1, Math.ceil(((recent.at(-requests) ?? at) - since) / 1000))
  const details = { bucket, limit: requests, window_seconds, retry_after: retryAfter }
  const drawn = `${requests} in ${window_seconds} seconds are allowed`
  return { ...refusal("rate_limited", message(drawn, retryAfter), details), retryAfter }
}

type OnAgent<Rest extends ReadonlyArray<unknown>, Reply> = (agent: Agent, ...rest: Rest) => Decision<AgentEvent, Reply>

const judged =
  (changes: boolean) =>
  <Rest extends ReadonlyArray<unknown>, Reply>(decide: OnAgent<Rest, Reply>) =>
  (state: AgentState, ...rest: Rest): Decision<AgentEvent, Reply> => {
    if (state === null) return missing
    const closed = statusRefusal(state, changes)
    return closed === null ? decide(state, ...rest) : { refused: closed }
  }

/** Wraps a decision, and refuses it if the account is unknown or closed. A suspended agent may make it. */
export const unlessClosed = judged(false)
/** Wraps a decision, and refuses it if the account is unknown, closed or suspended. */
export const unlessSuspended = judged(true)
