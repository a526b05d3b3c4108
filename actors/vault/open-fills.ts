/**
 * Open fills, which wait for their result or for an owner. Pure.
 *
 * Invariants
 *  - Expired fills are marked before a fill is decided on, even if their timer has not fired.
 *  - While a fill is open, a timer is set for the earliest end of all open fills, or for an earlier time.
 */
import { unavailable } from "../../schemas/errors.ts"
import type { FiredTimer } from "../../schemas/timer.ts"
import { type DecideContext, type Decision, firing, type Timer } from "../engine/definition.ts"
import { evolveVault } from "./evolve.ts"
import type { FillValue, VaultEvent, VaultState, VaultValue } from "./state.ts"

type At = Pick<DecideContext<unknown>, "at">

export const EXPIRE_TIMER = "expire"

const NOTHING = { events: [] } as const
const TOO_EARLY = { refused: unavailable("No fill is over yet by this node's clock.") }

export const openOf = ({ fills }: VaultValue): ReadonlyArray<FillValue> =>
  fills.filter(({ status }) => status === "pending" || status === "asked")

const expiredBy = (state: VaultValue, at: number): ReadonlyArray<VaultEvent> => {
  const over = openOf(state)
    .filter(({ expires_at }) => expires_at <= at)
    .map(({ fill }) => fill)
  return over.length === 0 ? [] : [{ type: "vault.fills_expired", v: 1, fills: over }]
}

export const settledBy = (before: VaultValue, at: number) => {
  const over = expiredBy(before, at)
  return { over, state: over.reduce<VaultState>((now, event) => evolveVault(now, event, { at }), before) ?? before }
}

/** Empty if another open fill ends no later, because a timer is set for that one. */
export const expiring = (before: VaultValue, expires_at: number): ReadonlyArray<Timer> =>
  openOf(before).some((one) => one.expires_at <= expires_at) ? [] : [{ name: EXPIRE_TIMER, at: expires_at }]

/** A timer that fires early is refused, and so put off. Set again for its own time, it would fire at once. */
export const decideExpire = (state: VaultState, fired: FiredTimer, { at }: At): Decision<VaultEvent> => {
  if (fired.name !== EXPIRE_TIMER || state === null) return NOTHING
  const events = expiredBy(state, at)
  const left = openOf(state).filter(({ expires_at }) => expires_at > at)
  if (left.length === 0) return { events }
  const next = Math.min(...left.map(({ expires_at }) => expires_at))
  if (events.length === 0 && firing(fired, next, at) === "early") return TOO_EARLY
  return { events, timers: [{ name: EXPIRE_TIMER, at: next }] }
}
