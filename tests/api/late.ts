/**
 * Nodes of this process whose reactions and read models are late: an answer that does not wait for them is stale each
 * time.
 */
import { Effect } from "effect"
import { vi } from "vitest"
import { Applier } from "../../actors/projections/applier.ts"
import { Turns } from "../../actors/reactions/turns.ts"
import { NoData } from "../support/outcome.ts"
import { PROJECTED_WAIT_MS } from "../support/service.ts"

const ROUNDS = 2
/** Reactions are later than read models: what they cause is read late as well. */
const REACTIONS_LATE_MS = 100
const READ_MODELS_LATE_MS = 40
const TRIES_MAX = 30

export const lateReactions = (): void => {
  const { inTurn } = Turns.prototype
  vi.spyOn(Turns.prototype, "inTurn").mockImplementation(function (this: Turns, actor, act) {
    return inTurn.call(this, actor, Effect.delay(act, REACTIONS_LATE_MS)) as typeof act
  })
}

export const lateReadModels = (): void => {
  const { apply } = Applier.prototype
  vi.spyOn(Applier.prototype, "apply").mockImplementation(async function (this: Applier, batch, mark) {
    await Effect.runPromise(Effect.sleep(READ_MODELS_LATE_MS))
    return apply.call(this, batch, mark)
  })
}

/** Null if the round met a 503, which promises nothing about what is read next. */
const answered = <A>(round: () => Promise<A>): Promise<A | null> =>
  round().catch((cause: unknown) => {
    if (cause instanceof NoData && cause.status === 503) return null
    throw cause
  })

/**
 * What each round saw. One that took as long as an answer may wait says nothing: whoever carries out reactions was at a
 * standstill, as while another node takes them over. It is made again, as is one that met a 503.
 */
export const rounds = async <A>(round: () => Promise<A>): Promise<ReadonlyArray<A>> => {
  const seen: Array<A> = []
  for (let tries = 0; seen.length < ROUNDS && tries < TRIES_MAX; tries++) {
    const began = performance.now()
    const found = await answered(round)
    if (found !== null && performance.now() - began < PROJECTED_WAIT_MS) seen.push(found)
  }
  return seen
}

/** What the rounds are to see. */
export const always = <A>(one: A): ReadonlyArray<A> => Array.from({ length: ROUNDS }, () => one)
