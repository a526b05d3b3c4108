/**
 * Alerts that the service sends to an agent and its owners (contract 17). They report refusals over a limit, sealed
 * content that differs from the record, the use of an invalid token, a loaded key, and a late result. Pure.
 *
 * Invariant: for one event, entry and code there is at most one alert in `alert_seconds`. The vault remembers only the
 * latest `alerts_max` alerts, so with more different ones an alert may come again sooner.
 *
 * Anybody may hold a token that has ended, and use it without end. So each token is reported once, and further uses in
 * gaps that double. Otherwise these alerts would take the places of all other security events at the owners.
 */
import type { VaultAlert } from "../../schemas/vault/records.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { VaultEvent, VaultState, VaultValue } from "./state.ts"

export type Alert = Omit<VaultAlert, "at">

/** Alerts with the same event, entry and code count as one alert. */
export const aboutOf = ({ event, entry_id, code }: Alert): string => [event, entry_id ?? "", code ?? ""].join(":")

type Alerted = Extract<VaultEvent, { readonly type: "vault.alerted" }>
type AlertLimits = Pick<Limits["service"]["vault"], "alert_seconds">

/** The event of an alert. There is none if the same alert was sent less than `alert_seconds` before or after `at`. */
export const alerting = (
  state: VaultState,
  alert: Alert,
  at: number,
  { alert_seconds }: AlertLimits
): ReadonlyArray<Alerted> => {
  const before = state?.alerts.find(({ about }) => about === aboutOf(alert))
  if (before !== undefined && Math.abs(at - before.at) < alert_seconds * 1000) return []
  return [{ type: "vault.alerted", v: 1, ...alert, at: new Date(at).toISOString() }]
}

/** The longest gap between two alerts about ended tokens. After twice this time without one, gaps start anew. */
const GAP_MAX_MS = 86_400_000

/** `hash`: the token that has ended and was used. */
export const alertingEnded = (
  state: VaultValue,
  hash: string,
  at: number,
  bounds: AlertLimits
): ReadonlyArray<Alerted> => {
  const { ended_used: used } = state
  if (used?.told.includes(hash) === true) {
    const gapMs = Math.min(bounds.alert_seconds * 1000 * 2 ** used.again, GAP_MAX_MS)
    if (Math.abs(at - used.at) < gapMs) return []
  }
  return alerting(state, alertOf("token_ended"), at, bounds).map((event) => ({ ...event, hash }))
}

/** Counts the alert that was made by `alertingEnded`. */
export const endedUsed = (
  { ended, ended_used: used = { told: [], at: -Infinity, again: 0 } }: VaultValue,
  hash: string,
  at: number
): NonNullable<VaultValue["ended_used"]> => {
  const others = used.told.filter((one) => one !== hash && ended.includes(one))
  const again = used.told.includes(hash) ? used.again + 1 : used.again
  return { told: [...others, hash], at, again: at - used.at > 2 * GAP_MAX_MS ? 0 : again }
}

const PLAIN = { entry_id: null, label: null, origin: null, code: null, amount: null, currency: null } as const

export const alertOf = (event: Alert["event"], about: Partial<Alert> = {}): Alert => ({ ...PLAIN, ...about, event })
