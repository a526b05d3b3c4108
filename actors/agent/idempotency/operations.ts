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
import { Effect } from "effect"
import { headers, type NatsConnection } from "@nats-io/transport-node"
import {
  type IdempotencyBegin,
  type IdempotencyEntry,
  idempotencyOperations as declared,
  REMADE_STATUS
} from "../../../schemas/idempotency/operations.ts"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { custom, type PrepareContext } from "../../engine/definition.ts"
import { lastMessage } from "../../log/last-message.ts"
import { requestStream } from "../../log/requests.ts"
import type { Sealer } from "../../log/seal.ts"
import type { Operating } from "../../kind.ts"
import type { AgentMemory } from "../memory.ts"
import type { AgentActor, AgentState } from "../state.ts"
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
 * A larger answer of status `REMADE_STATUS` is a record as it stands: it is made again from the state, not kept. What was created
 * may show what is shown once (registration's secret), and is kept whatever its size.
 */
export const ANSWER_KEPT_MAX_BYTES = 16_384

interface Kept {
  readonly body: string
  readonly status: number
  readonly answer: string
}

interface KeptSealed extends Kept {
  /** The answer is not here. */
  readonly remade?: true
}

const NOT_LOOKED_UP = unavailable("The Idempotency-Key cannot be looked up at the moment.")
const NOT_KEPT = unavailable("The answer could not be kept under its Idempotency-Key.")
const TOO_MANY: Refusal = {
  code: "overloaded",
  message: "Too many requests are under way under an Idempotency-Key.",
  retryAfter: 1
}

const CONFLICT: IdempotencyBegin = { state: "conflict" }

type Finished = (typeof declared)["idempotency.finish"]["input"]["Type"]

/** Answers may hold what is shown only once (a webhook's secret), so they are kept sealed, each for its own place. */
const purpose = (agent: string, key: string): string => `idempotency ${agent} ${key}`

export const idempotencyOperations = (
  nats: NatsConnection,
  limits: Limits,
  sealer: Sealer
): Operating<typeof declared, AgentActor> => {
  const keptOf = (agent: string, key: string): Effect.Effect<KeptSealed | null, Refusal> =>
    Effect.tryPromise({
      try: async () => {
        const last = await lastMessage(nats, streams.idempotency, subjects.idempotency(agent, key), TIMEOUT_MS)
        if (last === null || last.data.length === 0) return null
        const first = JSON.parse(text.decode(last.data)) as KeptSealed
        return first.remade === true ? first : { ...first, answer: sealer.open(first.answer, purpose(agent, key)) }
      },
      catch: () => NOT_LOOKED_UP
    })

  const looked = (first: Kept, input: IdempotencyEntry): IdempotencyBegin =>
    first.body === input.body ? { state: "done", status: first.status, answer: first.answer } : CONFLICT

  /** A retired key takes no place among what is under way: all that it can hear is how its own rotation went. */
  const beginRetired = (input: IdempotencyEntry, agent: string): Effect.Effect<IdempotencyBegin, Refusal> =>
    Effect.map(keptOf(agent, input.key), (first) =>
      first?.status === ROTATED && first.body === input.body ? looked(first, input) : { state: "new" }
    )

  const begin = (
    state: AgentState,
    input: IdempotencyEntry,
    context: PrepareContext<AgentMemory>
  ): Effect.Effect<IdempotencyBegin, Refusal> => {
    const { id: agent, commandId, deadline } = context
    if (isRetired(state, context.by)) return beginRetired(input, agent)
    const { underWay } = context.memory
    const now = Date.now()
    for (const [key, running] of underWay) if (running.until < now) underWay.delete(key)
    const running = underWay.get(input.key)
    if (running !== undefined && running.begun !== commandId) {
      if (running.body !== input.body) return Effect.succeed(CONFLICT)
      if (running.abandoned !== true) return Effect.succeed({ state: "in_flight" })
    }
    if (underWay.size >= UNDER_WAY_MAX) return Effect.fail(TOO_MANY)
    underWay.set(input.key, { body: input.body, begun: commandId, until: deadline })
    const found = Effect.map(keptOf(agent, input.key), (first): IdempotencyBegin => {
      if (first === null) return { state: "new", begun: commandId }
      if (first.remade === true && first.body === input.body) return { state: "new", begun: commandId, again: true }
      underWay.delete(input.key)
      return looked(first, input)
    })
    return Effect.onError(found, () => Effect.sync(() => underWay.delete(input.key)))
  }

  const sealed = (agent: string, key: string, first: KeptSealed): KeptSealed =>
    first.remade === true || (first.status === REMADE_STATUS && Buffer.byteLength(first.answer) > ANSWER_KEPT_MAX_BYTES)
      ? { ...first, answer: "", remade: true }
      : { ...first, answer: sealer.seal(first.answer, purpose(agent, key)) }

  const keep = (agent: string, key: string, first: KeptSealed, ttlSeconds: number): Effect.Effect<void, Refusal> =>
    Effect.tryPromise({
      try: async () => {
        const more = headers()
        more.set("Nats-TTL", `${ttlSeconds}s`)
        const message = JSON.stringify(sealed(agent, key, first))
        const reply = await requestStream(nats, subjects.idempotency(agent, key), message, {
          headers: more,
          timeout: TIMEOUT_MS
        })
        if (reply.json<{ error?: unknown }>().error !== undefined) throw new Error("not kept")
      },
      catch: () => NOT_KEPT
    })

  const finish = (
    state: AgentState,
    input: Finished,
    context: PrepareContext<AgentMemory>
  ): Effect.Effect<null, Refusal> =>
    Effect.gen(function* () {
      const { underWay } = context.memory
      const { key, signer, body, status, answer, remade } = input
      const first = { body, status, answer, ...(remade === true ? { remade } : {}) }
      const stranger = state === null && signer !== "candidate"
      const running = underWay.get(key)
      const another = running !== undefined && running.body !== body
      const worth = !stranger && !another && (status === ROTATED || !isRetired(state, context.by))
      const ttl =
        state === null && status !== REGISTERED ? STRANGERS_TTL_SECONDS : limits.limits.idempotency_ttl_seconds
      // Status 0: the request ended without an answer worth keeping, and may be made again.
      if (status !== 0 && worth) yield* keep(context.id, key, first, ttl)
      // A later request may have the key by now: only what began it ends it.
      const last = underWay.get(key)
      if (last?.body === body && last.begun === (input.begun ?? last.begun)) {
        if (input.abandoned === true) underWay.set(key, { ...last, abandoned: true })
        else underWay.delete(key)
      }
      return null
    })

  return {
    "idempotency.begin": custom(begin),
    "idempotency.finish": custom(finish)
  }
}
