/**
 * First answers under an Idempotency-Key (contract 13, 21): kept for a day per (signing key, method, path, key).
 *
 * Invariants
 *  - A key that is no longer the agent's current one hears `key_retired`, its own earlier answers included: they may
 *    hold what only the key's owner may see now. The one exception is the rotation that retired it, repeated as it was.
 *  - Of a key that no agent has, only what a registration answered is kept.
 *
 * `begin` says whether the request is new, under way, done or in conflict; `finish` keeps the answer. A request whose
 * edge died between the two is free again when its deadline has passed, and runs under the same command id, so that
 * what it had committed is not done twice. An asker repeats what is not answered soon: a `begin` that meets itself is
 * still the first. One that was abandoned is free for the same body at once, for another at its deadline.
 */
import { headers, type NatsConnection } from "@nats-io/transport-node"
import type { IdempotencyBegin, IdempotencyEntry } from "../../schemas/idempotency/operations.ts"
import { unavailable } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { custom, type PrepareContext, type Result } from "../engine/definition.ts"
import { lastMessage } from "../engine/last-message.ts"
import { requestStream } from "../engine/renewal.ts"
import type { Sealer } from "../engine/seal.ts"
import type { AgentMemory } from "../agent/gate.ts"
import type { AgentState } from "../agent/state.ts"
import { isRetired } from "./signer.ts"

const TIMEOUT_MS = 3000
/** Of the answer to a rotation that was done. */
const ROTATED = 200
const REGISTERED = 201
/** Refusals of a registration: whoever has keys enough must not push out what others keep. */
const STRANGERS_TTL_SECONDS = 600
/** Requests of one agent under way under a key. */
const UNDER_WAY_MAX = 100

const text = new TextDecoder()

/**
 * A larger answer of status 200 is a record as it stands: it is made again from the state, not kept. What was created
 * may show what is shown once (registration's secret), and is kept whatever its size.
 */
export const ANSWER_KEPT_MAX_BYTES = 16_384
const REMADE_STATUS = 200

interface Kept {
  readonly body: string
  readonly status: number
  readonly answer: string
}

interface KeptSealed extends Kept {
  /** The answer is not here. */
  readonly remade?: true
}

const NOT_LOOKED_UP: Result = { refused: unavailable("The Idempotency-Key cannot be looked up at the moment.") }

type Finished = IdempotencyEntry & Kept & { readonly begun?: string; readonly abandoned?: true }

/** Answers may hold what is shown only once (a webhook's secret), so they are kept sealed, each for its own place. */
const purpose = (agent: string, key: string): string => `idempotency ${agent} ${key}`

export const idempotencyOperations = (nats: NatsConnection, limits: Limits, sealer: Sealer) => {
  const kept = async (agent: string, key: string): Promise<KeptSealed | null> => {
    const last = await lastMessage(nats, streams.idempotency, subjects.idempotency(agent, key), TIMEOUT_MS)
    if (last === null || last.data.length === 0) return null
    const first = JSON.parse(text.decode(last.data)) as KeptSealed
    return first.remade === true ? first : { ...first, answer: sealer.open(first.answer, purpose(agent, key)) }
  }

  const answer = (data: IdempotencyBegin): Result => ({ data })

  const looked = (first: Kept, input: IdempotencyEntry): Result => {
    if (first.body !== input.body) return answer({ state: "conflict" })
    return answer({ state: "done", status: first.status, answer: first.answer })
  }

  /** A retired key takes no place among what is under way: all that it can hear is how its own rotation went. */
  const beginRetired = async (input: IdempotencyEntry, agent: string): Promise<Result> => {
    const first = await kept(agent, input.key).catch(() => undefined)
    if (first === undefined) return NOT_LOOKED_UP
    return first?.status === ROTATED && first.body === input.body ? looked(first, input) : answer({ state: "new" })
  }

  const begin = async (state: AgentState, input: IdempotencyEntry, context: PrepareContext): Promise<Result> => {
    const { id: agent, commandId, deadline } = context
    if (isRetired(state, context.by)) return beginRetired(input, agent)
    const memory = context.memory as AgentMemory
    const now = Date.now()
    for (const [key, running] of memory.underWay) if (running.until < now) memory.underWay.delete(key)
    const running = memory.underWay.get(input.key)
    if (running !== undefined && running.begun !== commandId) {
      if (running.body !== input.body) return answer({ state: "conflict" })
      if (running.abandoned !== true) return answer({ state: "in_flight" })
    }
    if (memory.underWay.size >= UNDER_WAY_MAX) {
      return {
        refused: {
          code: "overloaded",
          message: "Too many requests are under way under an Idempotency-Key.",
          retryAfter: 1
        }
      }
    }
    memory.underWay.set(input.key, { body: input.body, begun: commandId, until: deadline })
    try {
      const first = await kept(agent, input.key)
      if (first === null) return answer({ state: "new", begun: commandId })
      if (first.remade === true && first.body === input.body)
        return answer({ state: "new", begun: commandId, again: true })
      memory.underWay.delete(input.key)
      return looked(first, input)
    } catch {
      memory.underWay.delete(input.key)
      return NOT_LOOKED_UP
    }
  }

  const sealed = (agent: string, key: string, first: Kept): KeptSealed =>
    first.status === REMADE_STATUS && Buffer.byteLength(first.answer) > ANSWER_KEPT_MAX_BYTES
      ? { ...first, answer: "", remade: true }
      : { ...first, answer: sealer.seal(first.answer, purpose(agent, key)) }

  const finish = async (state: AgentState, input: Finished, context: PrepareContext): Promise<Result> => {
    const { id: agent } = context
    const memory = context.memory as AgentMemory
    const more = headers()
    const { key, signer, body, status, answer: given } = input
    const stranger = state === null && signer !== "candidate"
    more.set(
      "Nats-TTL",
      `${state === null && status !== REGISTERED ? STRANGERS_TTL_SECONDS : limits.limits.idempotency_ttl_seconds}s`
    )
    const running = memory.underWay.get(key)
    const another = running !== undefined && running.body !== body
    const kept = !stranger && !another && (status === ROTATED || !isRetired(state, context.by))
    // Status 0: the request ended without an answer worth keeping, and may be made again.
    if (status !== 0 && kept) {
      try {
        const first = sealed(agent, key, { body, status, answer: given })
        const reply = await requestStream(nats, subjects.idempotency(agent, key), JSON.stringify(first), {
          headers: more,
          timeout: TIMEOUT_MS
        })
        if (reply.json<{ error?: unknown }>().error !== undefined) throw new Error("not kept")
      } catch {
        return { refused: unavailable("The answer could not be kept under its Idempotency-Key.") }
      }
    }
    // A later request may have the key by now: only what began it ends it.
    if (running?.body === body && running.begun === (input.begun ?? running.begun)) {
      if (input.abandoned === true) memory.underWay.set(key, { ...running, abandoned: true })
      else memory.underWay.delete(key)
    }
    return { data: null }
  }

  return {
    "idempotency.begin": custom<AgentState, IdempotencyEntry>(begin),
    "idempotency.finish": custom<AgentState, Finished>(finish)
  }
}
