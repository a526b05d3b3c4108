/**
 * First answers under an Idempotency-Key (contract 13): kept for a day per (agent, method, path, key).
 *
 * `begin` says whether the request is new, under way, done or in conflict; `finish` keeps the answer. A request whose
 * edge died between the two is free again when its deadline has passed, and runs under the same command id, so that
 * what it had committed is not done twice. An asker repeats what is not answered soon: a `begin` that meets itself is
 * still the first.
 */
import { headers, type NatsConnection } from "@nats-io/transport-node"
import type { IdempotencyBegin } from "../../schemas/bus/operations.ts"
import { unavailable } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { custom, type PrepareContext, type Result } from "../engine/definition.ts"
import { lastMessage } from "../engine/last-message.ts"
import { requestStream } from "../engine/renewal.ts"
import type { Sealer } from "../engine/seal.ts"
import type { AgentMemory } from "../agent/gate.ts"
import type { AgentState } from "../agent/state.ts"

const TIMEOUT_MS = 3000
/** Requests of one agent under way under a key. */
const UNDER_WAY_MAX = 100

const text = new TextDecoder()

/**
 * A larger answer of status 200 is a record as it stands: it is made again from the state, not kept. What was created may
 * show what is shown once (registration's secret), and is kept whatever its size.
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

/** Answers may hold what is shown only once (a webhook's secret), so they are kept sealed, each for its own place. */
const purpose = (agent: string, key: string): string => `idempotency ${agent} ${key}`

export const idempotencyOperations = (nats: NatsConnection, limits: Limits, sealer: Sealer) => {
  const kept = async (agent: string, key: string): Promise<KeptSealed | null> => {
    const last = await lastMessage(nats, streams.idempotency, subjects.idempotency(agent, key), TIMEOUT_MS)
    if (last === null || last.data.length === 0) return null
    const first = JSON.parse(text.decode(last.data)) as KeptSealed
    return first.remade === true ? first : { ...first, answer: sealer.open(first.answer, purpose(agent, key)) }
  }

  const begin = async (input: { readonly key: string; readonly body: string }, context: PrepareContext): Promise<Result> => {
    const { id: agent, commandId, deadline, recorded } = context
    const memory = context.memory as AgentMemory
    const now = Date.now()
    for (const [key, running] of memory.underWay) if (running.until < now) memory.underWay.delete(key)
    const running = memory.underWay.get(input.key)
    const answer = (data: IdempotencyBegin): Result => ({ data })
    if (running !== undefined && running.begun !== commandId) return answer({ state: running.body === input.body ? "in_flight" : "conflict" })
    if (memory.underWay.size >= UNDER_WAY_MAX) {
      return { refused: { code: "overloaded", message: "Too many requests are under way under an Idempotency-Key.", retryAfter: 1 } }
    }
    memory.underWay.set(input.key, { body: input.body, begun: commandId, until: deadline })
    // Who is told that its signature could not be recorded has not begun, and ends nothing.
    void recorded?.then((durable) => {
      if (!durable && memory.underWay.get(input.key)?.begun === commandId) memory.underWay.delete(input.key)
    })
    try {
      const first = await kept(agent, input.key)
      if (first === null) return answer({ state: "new" })
      if (first.remade === true && first.body === input.body) return answer({ state: "new", again: true })
      memory.underWay.delete(input.key)
      return answer(first.body === input.body ? { state: "done", status: first.status, answer: first.answer } : { state: "conflict" })
    } catch {
      memory.underWay.delete(input.key)
      return { refused: unavailable("The Idempotency-Key cannot be looked up at the moment.") }
    }
  }

  const sealed = (agent: string, key: string, first: Kept): KeptSealed =>
    first.status === REMADE_STATUS && Buffer.byteLength(first.answer) > ANSWER_KEPT_MAX_BYTES
      ? { ...first, answer: "", remade: true }
      : { ...first, answer: sealer.seal(first.answer, purpose(agent, key)) }

  const finish = async (memory: AgentMemory, agent: string, input: { readonly key: string } & Kept): Promise<Result> => {
    const more = headers()
    more.set("Nats-TTL", `${limits.limits.idempotency_ttl_seconds}s`)
    const { key, ...first } = input
    // Status 0: the request ended without an answer worth keeping, and may be made again.
    if (first.status !== 0) {
      try {
        const reply = await requestStream(nats, subjects.idempotency(agent, key), JSON.stringify(sealed(agent, key, first)), { headers: more, timeout: TIMEOUT_MS })
        if (reply.json<{ error?: unknown }>().error !== undefined) throw new Error("not kept")
      } catch {
        return { refused: unavailable("The answer could not be kept under its Idempotency-Key.") }
      }
    }
    memory.underWay.delete(key)
    return { data: null }
  }

  return {
    "idempotency.begin": custom<AgentState, { readonly key: string; readonly body: string }>((_state, input, context) =>
      begin(input, context)
    ),
    "idempotency.finish": custom<AgentState, { readonly key: string } & Kept>((_state, input, context) =>
      finish(context.memory as AgentMemory, context.id, input)
    )
  }
}
