/**
 * Pure decisions on fills that need a person: an owner allows a fill, or solves a captcha for it.
 *
 * Invariants
 *  - Only a person who may consent to the entry at that moment (consenters.ts) can allow or decline a fill, and only
 *    once. A fill that does not wait any more is not changed.
 *  - Limits that were lowered meanwhile apply: a fill that the policy would refuse now ends without consent.
 */
import { invalidField } from "../../schemas/errors.ts"
import type { OwnerStanding } from "../../schemas/owner/operations.ts"
import { amountOf } from "../../schemas/vault/money.ts"
import type { ConsentAsked } from "../../schemas/vault/records.ts"
import type { DecideContext, Decision } from "../engine/definition.ts"
import { consentersNow, type WaitLimits } from "./consenters.ts"
import { serviceOf, type VaultLimits } from "./decide.ts"
import { expiring, openOf, settledBy } from "./open-fills.ts"
import { stillAllowed } from "./policy.ts"
import { EXPIRED, NO_FILL, TOKEN_INVALID, UNSOLVED } from "./refusals.ts"
import type { FillValue, VaultEvent, VaultState, VaultValue } from "./state.ts"

type At = Pick<DecideContext<unknown>, "at">
type Decided<Reply = null> = Decision<VaultEvent, Reply>

/** The record that an owner sees of a fill that waits for consent; `null` for every other fill. */
const askedRecord = (
  { entries }: VaultValue,
  { entry: id, fill, action, origin, minor, expires_at, status }: FillValue,
  at: number
): ConsentAsked | null => {
  const entry = entries.find((one) => one.id === id)
  if (status !== "asked" || expires_at <= at || entry === undefined) return null
  const { kind, label, limits } = entry
  const money =
    limits === null || minor === null
      ? { amount: null, currency: null }
      : { amount: amountOf(minor, limits.currency), currency: limits.currency }
  const about = { fill_id: fill, entry_id: id, kind, label, action, origin, ...money }
  return { ...about, expires_at: new Date(expires_at).toISOString() }
}

interface ConsentRequest {
  readonly human: string
  readonly at: number
  readonly owners: ReadonlyArray<OwnerStanding>
}

export const asksIn = (
  state: VaultValue,
  { human, at, owners }: ConsentRequest,
  limits: WaitLimits
): ReadonlyArray<ConsentAsked> =>
  openOf(state)
    .filter(({ entry: id }) => {
      const entry = state.entries.find((one) => one.id === id)
      return entry !== undefined && consentersNow(entry, owners, at, limits).includes(human)
    })
    .flatMap((one) => askedRecord(state, one, at) ?? [])

type ConsentLimits = Pick<VaultLimits, "fill_pending_seconds" | "consent_seconds"> & WaitLimits

/** `facts`: the agent's owners. */
export const decideConsent = (
  before: VaultState,
  { human, fill, allow }: { readonly human: string; readonly fill: number; readonly allow: boolean },
  { at, facts: owners }: At & { readonly facts: ReadonlyArray<OwnerStanding> },
  bounds: ConsentLimits
): Decided => {
  const { fill_pending_seconds, consent_seconds } = bounds
  if (before === null) return NO_FILL
  const { over, state } = settledBy(before, at)
  const found = state.fills.find((one) => one.fill === fill && one.status === "asked")
  if (found === undefined) return { ...NO_FILL, events: over }
  const { entry: id, origin } = found
  const entry = state.entries.find((one) => one.id === id)
  if (entry !== undefined && !consentersNow(entry, owners, at, bounds).includes(human))
    return { ...NO_FILL, events: over }
  if (entry === undefined || (allow && !stillAllowed(entry, found)))
    return { ...NO_FILL, events: [...over, { type: "vault.fills_expired", v: 1, fills: [fill] }] }
  if (!allow) {
    const until = at + consent_seconds * 1000
    return { events: [...over, { type: "vault.consent_declined", v: 1, fill, entry: id, human, origin, until }] }
  }
  const expires_at = at + fill_pending_seconds * 1000
  return {
    events: [...over, { type: "vault.consent_given", v: 1, fill, entry: id, human, origin, expires_at }],
    timers: expiring(state, expires_at)
  }
}

/** Includes the seconds that an owner may take for a captcha, and those that the fill service may take afterwards. */
type RelayLimits = Pick<VaultLimits, "captcha_rounds_max" | "fill_pending_seconds"> & {
  readonly captcha_seconds: number
}

/** Each picture is one round. A repeated command gets the first answer. */
export const decideRelay = (
  before: VaultState,
  { hash, fill, round }: { readonly hash: string; readonly fill: number; readonly round: number },
  { at }: At,
  { captcha_rounds_max, captcha_seconds, fill_pending_seconds }: RelayLimits
): Decided<{ readonly origin: string }> => {
  const service = serviceOf(before, hash)
  if (before === null || service === null) return TOKEN_INVALID
  const { over, state } = settledBy(before, at)
  const found = state.fills.find((one) => one.fill === fill && one.place === service.place)
  if (found === undefined) return { ...NO_FILL, events: over }
  if (found.status !== "pending") return { ...EXPIRED, events: over }
  if (round > captcha_rounds_max) return { ...UNSOLVED, events: over }
  const { origin, rounds } = found
  if (round !== rounds + 1)
    return { refused: invalidField("round", `round must be ${rounds + 1}, the next of this fill.`), events: over }
  // All rounds of the captcha share the time limit of the first.
  const whole = at + (captcha_seconds + fill_pending_seconds) * 1000
  const expires_at = rounds === 0 ? Math.max(found.expires_at, whole) : found.expires_at
  return {
    events: [...over, { type: "vault.captcha_relayed", v: 1, fill, round, expires_at }],
    reply: { origin }
  }
}
