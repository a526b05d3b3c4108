/**
 * Decisions on fills, and on the services that fill. Pure.
 *
 * Invariants
 *  - Policy first, then the journal, in one commit; a ciphertext is handed out only of a fill that stands there as
 *    pending (actor.ts).
 *  - What has expired is told so before anything is judged, whether its timer has fired or not.
 *  - A result is taken once. One that comes too late still closes its fill.
 */
import { invalidField } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { OpenFill } from "../../schemas/vault/fields.ts"
import type { FiredTimer } from "../../schemas/timer.ts"
import type { DecideContext, Decision, Timer } from "../engine/definition.ts"
import { serviceOf, type VaultLimits } from "./decide.ts"
import { evolveVault } from "./evolve.ts"
import { dayOf, judged } from "./policy.ts"
import { byPolicy, full, KEY_TAKEN, NO_ENTRY, NO_FILL, NO_VAULT, NOT_ACTIVE, TOKEN_INVALID } from "./refusals.ts"
import type { EntryValue, VaultEvent, VaultState, VaultValue } from "./state.ts"

type At = Pick<DecideContext<unknown>, "at">
type Decided<Reply = null> = Decision<VaultEvent, Reply>

export const EXPIRE_TIMER = "expire"

const NOTHING = { events: [] } as const

/** Where a fill service runs, and by what it is known: the one that was there before is known no more. */
export const decideAdmitService = (
  state: VaultState,
  { uid, place, hash }: { readonly uid: string; readonly place: string; readonly hash: string },
  { tokens_max }: Pick<Limits["service"]["vault"], "tokens_max">
): Decided => {
  if (state === null) return NO_VAULT
  if (state.status !== "active" || state.uid !== uid) return NOT_ACTIVE
  const others = state.services.filter((one) => one.place !== place)
  if (others.length >= tokens_max) return full("fill services", tokens_max)
  return { events: [{ type: "vault.service_admitted", v: 1, place, hash }] }
}

/** Asked again for the same key, it is given again. */
export const decideLoadKey = (
  state: VaultState,
  { hash, ephemeral }: { readonly hash: string; readonly ephemeral: string }
): Decided<{ readonly place: string }> => {
  const service = serviceOf(state, hash)
  if (service === null) return TOKEN_INVALID
  if (state?.status !== "active") return NOT_ACTIVE
  const { place } = service
  if (service.ephemeral !== null) return service.ephemeral === ephemeral ? { events: [], reply: { place } } : KEY_TAKEN
  return { events: [{ type: "vault.key_loaded", v: 1, place, ephemeral }], reply: { place } }
}

/** Of those that are pending, whose time is over. */
const expiredBy = ({ fills }: VaultValue, at: number): ReadonlyArray<VaultEvent> => {
  const over = fills
    .filter(({ status, expires_at }) => status === "pending" && expires_at <= at)
    .map(({ fill }) => fill)
  return over.length === 0 ? [] : [{ type: "vault.fills_expired", v: 1, fills: over }]
}

/** As it is once what has expired is told. */
const settledBy = (before: VaultValue, at: number) => {
  const over = expiredBy(before, at)
  return { over, state: over.reduce<VaultState>((now, event) => evolveVault(now, event, { at }), before) ?? before }
}

const pendingOf = ({ fills }: VaultValue) => fills.filter(({ status }) => status === "pending")

const refusedFill = (
  place: string,
  entry: EntryValue | null,
  { action, origin, amount, currency }: OpenFill,
  code: string
): VaultEvent => ({
  type: "vault.fill_refused",
  v: 1,
  entry: entry?.id ?? null,
  kind: entry?.kind ?? null,
  action,
  origin,
  amount: amount === undefined ? null : String(amount),
  currency: currency ?? null,
  place,
  code
})

const malformed = (wanted: OpenFill) => {
  if (wanted.action !== "pay") return null
  if (wanted.amount === undefined) return invalidField("amount", "A payment needs its amount.")
  return wanted.currency === undefined ? invalidField("currency", "A payment needs its currency.") : null
}

type FillLimits = Pick<VaultLimits, "fill_pending_seconds"> & Pick<Limits["service"]["vault"], "pending_max">

export const decideFill = (
  before: VaultState,
  { hash, wanted }: { readonly hash: string; readonly wanted: OpenFill },
  { at }: At,
  { fill_pending_seconds, pending_max }: FillLimits
): Decided<{ readonly fill: number }> => {
  const service = serviceOf(before, hash)
  if (before === null || service === null) return TOKEN_INVALID
  const wrong = malformed(wanted)
  if (wrong !== null) return { refused: wrong }
  if (before.status !== "active") return NOT_ACTIVE
  const { over, state } = settledBy(before, at)
  const entry = state.entries.find(({ id }) => id === wanted.entry_id) ?? null
  const refusedAs = (code: string) => [...over, refusedFill(service.place, entry, wanted, code)]
  if (entry === null) return { ...NO_ENTRY, events: refusedAs("entry_unknown") }
  if (pendingOf(state).length >= pending_max)
    return { ...full("fills that wait for their end", pending_max), events: over }
  const verdict = judged(entry, wanted, at)
  if ("code" in verdict) {
    const details = entry.limits === null ? {} : { currency: entry.limits.currency }
    return { refused: byPolicy(verdict.code, details), events: refusedAs(verdict.code) }
  }
  const fill = state.last.fill + 1
  const expires_at = at + fill_pending_seconds * 1000
  const opened: VaultEvent = {
    type: "vault.fill_opened",
    v: 1,
    fill,
    entry: entry.id,
    kind: entry.kind,
    action: wanted.action,
    origin: wanted.origin,
    day: dayOf(at),
    minor: verdict.minor,
    currency: entry.limits?.currency ?? null,
    place: service.place,
    expires_at
  }
  return { events: [...over, opened], reply: { fill }, timers: expiring(state, expires_at) }
}

/** One at a time: when it fires, the next is set (`decideExpire`). */
const expiring = (state: VaultValue, expires_at: number): ReadonlyArray<Timer> =>
  pendingOf(state).length === 0 ? [{ name: EXPIRE_TIMER, at: expires_at }] : []

export const decideExpire = (state: VaultState, { name }: FiredTimer, { at }: At): Decided => {
  if (name !== EXPIRE_TIMER || state === null) return NOTHING
  const left = pendingOf(state).filter(({ expires_at }) => expires_at > at)
  const next = Math.min(...left.map(({ expires_at }) => expires_at))
  return { events: expiredBy(state, at), timers: left.length === 0 ? [] : [{ name: EXPIRE_TIMER, at: next }] }
}

/** Told by the service that opened it, or by whichever runs at its place now. */
export const decideEndFill = (
  before: VaultState,
  input: {
    readonly hash: string
    readonly fill: number
    readonly status: "done" | "failed"
    readonly code: string | null
  },
  { at }: At
): Decided<{ readonly fill: number; readonly status: "done" | "failed"; readonly late: boolean }> => {
  const service = serviceOf(before, input.hash)
  if (before === null || service === null) return TOKEN_INVALID
  const { over, state } = settledBy(before, at)
  const found = state.fills.find(({ fill, place }) => fill === input.fill && place === service.place)
  if (found === undefined) return { ...NO_FILL, events: over }
  const late = found.status === "expired"
  const { fill, entry } = found
  const { status, code } = input
  return {
    events: [...over, { type: "vault.fill_ended", v: 1, fill, entry, status, code, late }],
    reply: { fill, status, late }
  }
}
