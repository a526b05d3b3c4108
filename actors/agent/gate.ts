/**
 * The gate of the agent actor. It authorizes each signed request to the actor (an ask) before the actor executes it
 * (spec 3.1, 5.1; contract 11). The state of the signing key is in the same actor.
 *
 * The checks have this order:
 *  - The nonce is recorded. The edge has verified the signature before.
 *  - The key is resolved to its agent.
 *  - The account's status is checked.
 *  - The rate limits are charged. An ask that is sent again within `ADMITTED_MS` to the same node is charged once.
 *
 * No agent has the id of a key that came from a rotation. The key's claim then names its agent, and the ask is
 * forwarded there. Its nonce is not checked a second time.
 */
import { type Clock, Effect } from "effect"
import type { Ask, RateState, SignedBy } from "../../schemas/bus/frames.ts"
import type { IdempotencyEntry } from "../../schemas/idempotency/operations.ts"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import type { BucketName, Limits } from "../../schemas/limits.ts"
import type { Gate, GateVerdict, Judgement } from "../engine/definition.ts"
import type { Restored } from "../log/last-restore.ts"
import type { NonceLog } from "../log/nonces.ts"
import { Recent } from "../engine/recent.ts"
import { signerRefusal } from "./idempotency/signer.ts"
import { draw } from "../limit/noun.ts"
import type { AgentMemory } from "./memory.ts"
import { keyRefusal, provisionalRefusal, statusRefusal, unknownKey } from "./decide.ts"
import type { AgentActor, AgentState } from "./state.ts"
import { wallMs, monotonicMs } from "../../schemas/runtime/clock.ts"

export interface GateParts {
  readonly clock: Clock.Clock
  readonly nonces: NonceLog
  readonly restored: Restored
  readonly limits: Limits
  readonly claimOf: (key: string) => Effect.Effect<{ readonly agent: string } | null, Refusal>
  readonly seen: (id: string, now: number) => void
}

/** The operation by which registration asks about a key. It draws on no rate limit of an agent. */
const ADMIT_KEY = "agent.admit_key"
/**
 * The operations on stored answers (Idempotency-Keys). The holder of an account's key may use them whatever the
 * account's status, so a repeated deletion gets the first answer.
 */
const FIRST_ANSWERS: ReadonlySet<string> = new Set(["idempotency.begin", "idempotency.finish"])

/**
 * The limits on remembered asks, in milliseconds and in number. Askers stop retrying sooner. If a node admits more asks
 * in this time, it forgets the oldest.
 */
const ADMITTED_MS = 15_000
const ADMITTED_MAX = 100_000

/**
 * Remembers the asks that were admitted. An asker that gets no answer sends its ask again under the same id. A second
 * check could charge the rate limits twice, or refuse a key that the ask itself has replaced.
 */
class Admitted {
  private readonly clock: Clock.Clock
  private readonly recent = new Recent<true>(ADMITTED_MS, ADMITTED_MAX)

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  has({ actor, id }: Ask): boolean {
    return this.recent.get(`${actor} ${id}`, monotonicMs(this.clock)) === true
  }

  add({ actor, id }: Ask): void {
    this.recent.set(`${actor} ${id}`, true, monotonicMs(this.clock))
  }
}

export const agentGate = (parts: GateParts): Gate<AgentActor> => judging(parts, new Admitted(parts.clock))

const judging = (parts: GateParts, admitted: Admitted): Gate<AgentActor> => ({
  judge: (ask, activation, writes) => {
    const { by } = ask
    if (by === undefined) return PASSED
    const { memory } = activation
    // A key that came from a rotation has no agent under its own id. The key's claim names the agent.
    const judged = () =>
      activation.state === null && ask.op !== ADMIT_KEY
        ? judgeStrangerKey(parts, ask, by)
        : judgeAgent(parts, admitted, ask, by, activation.state, memory, writes)
    if (by.settled === true) return { verdict: judged() }
    const { use, recorded } = parts.nonces.use(by.key, by.nonce, ask.id, wallMs(parts.clock))
    if (use === "reused") return REUSED
    return isFromBefore(parts.restored, by) ? fromBefore(parts, by) : { verdict: judged(), recorded }
  }
})

const PASSED: Judgement = { verdict: { pass: true } }
const REUSED: Judgement = {
  verdict: {
    pass: false,
    refused: refusal("auth_nonce_reused", "This nonce was used before. Sign again with a fresh one.")
  }
}

/**
 * True if the request was signed before the last restore. The restored log has lost the nonces used after the backup,
 * so such a request may be a replay. A request with a future timestamp is not detected.
 */
const isFromBefore = ({ at: restoredAt }: Restored, { at }: SignedBy): boolean =>
  at !== undefined && at * 1000 <= restoredAt

const fromBefore = ({ clock, restored }: GateParts, { at }: SignedBy): Judgement => ({
  verdict: {
    pass: false,
    refused: refusal("auth_timestamp_skew", "The service was restored after this was signed. Sign again.", {
      server_time: Math.floor(wallMs(clock) / 1000),
      timestamp: at,
      restored_at: Math.floor(restored.at / 1000)
    })
  }
})

const judgeStrangerKey = (parts: GateParts, ask: Ask, by: SignedBy): Promise<GateVerdict> =>
  Effect.runPromise(
    Effect.match(parts.claimOf(by.key), {
      onFailure: (refused): GateVerdict => ({ pass: false, refused }),
      onSuccess: (claim) => (claim === null ? judgeNobodys(ask, by) : { moved: claim.agent })
    })
  )

const firstAnswerOf = (ask: Ask): IdempotencyEntry | null =>
  FIRST_ANSWERS.has(ask.op) ? (ask.input as IdempotencyEntry) : null

const judgeNobodys = (ask: Ask, by: SignedBy): GateVerdict => {
  const first = firstAnswerOf(ask)
  const refused = first === null ? unknownKey : signerRefusal(null, by, first)
  return refused === null ? { pass: true } : { pass: false, refused }
}

/**
 * True for the repeated rotation that retired the key. A retired key gets only the answer of that rotation, and is not
 * charged to the rate limits.
 */
const repeatsItsRotation = (ask: Ask, first: IdempotencyEntry | null): boolean =>
  first === null ? ask.op === "identity.rotate" : first.signer === "retiring"

/**
 * True for a deletion that was sent again to a node that has not admitted it before. The command's first answer is
 * returned, or the decision refuses it.
 */
const repeatsItsDeletion = (ask: Ask, refused: Refusal | null): boolean =>
  refused?.code === "agent_deleted" && ask.op === "agent.delete"

const judgeAgent = (
  parts: GateParts,
  admitted: Admitted,
  ask: Ask,
  by: SignedBy,
  agent: AgentState,
  memory: AgentMemory,
  writes: boolean
): GateVerdict => {
  if (ask.op === ADMIT_KEY) return { pass: true }
  if (agent === null) return judgeNobodys(ask, by)
  const now = wallMs(parts.clock)
  if (admitted.has(ask)) return { pass: true, rate: rateOf(memory, parts.limits, now) }
  const first = firstAnswerOf(ask)
  const key = keyRefusal(agent, by.publicKey)
  if (key?.code === "key_retired" && repeatsItsRotation(ask, first)) return { pass: true }
  const refused =
    (first === null
      ? (key ?? statusRefusal(agent, (writes || (ask.draw ?? []).length > 0) && ask.whileSuspended !== true))
      : signerRefusal(agent, by, first)) ??
    // An admitted agent is never provisional again, so this refuses no repetition of a request that was carried out.
    (ask.admittedOnly === true && agent.provisional ? (statusRefusal(agent, true) ?? provisionalRefusal(agent)) : null)
  if (repeatsItsDeletion(ask, refused)) return { pass: true }
  if (refused !== null) return { pass: false, refused }
  parts.seen(ask.actor, now)
  const draws = ask.draw !== undefined || by.settled !== true
  const verdict: GateVerdict = draws
    ? drawAll(memory, parts.limits, [...(ask.draw ?? []), "agent"], now)
    : { pass: true, rate: rateOf(memory, parts.limits, now) }
  if ((draws || writes) && "pass" in verdict && verdict.pass) admitted.add(ask)
  return verdict
}

/** Takes one request from each of `buckets`, in order. The first exhausted one refuses. */
export const drawAll = (
  memory: AgentMemory,
  limits: Limits,
  buckets: ReadonlyArray<string>,
  now: number
): GateVerdict => {
  for (const name of buckets) {
    if (!Object.hasOwn(limits.rate_limits, name)) continue
    const limit = limits.rate_limits[name as BucketName]
    const drawn = draw(memory.windows.get(name) ?? null, limit, 1, now)
    memory.windows.set(name, drawn.window)
    if (drawn.granted === 0) {
      const retryAfter = Math.max(1, Math.ceil((drawn.resetsAt - now) / 1000))
      const details = {
        bucket: name,
        limit: limit.requests,
        window_seconds: limit.window_seconds,
        retry_after: retryAfter
      }
      const refused = {
        ...refusal("rate_limited", `Too many requests (${name}). Try again in ${retryAfter} s.`, details),
        retryAfter
      }
      return { pass: false, refused, rate: rateOf(memory, limits, now) }
    }
  }
  return { pass: true, rate: rateOf(memory, limits, now) }
}

const rateOf = (memory: AgentMemory, limits: Limits, now: number): RateState => {
  const limit = limits.rate_limits.agent
  const { remaining, resetsAt } = draw(memory.windows.get("agent") ?? null, limit, 0, now)
  return { limit: limit.requests, remaining, reset: Math.ceil(resetsAt / 1000) }
}
