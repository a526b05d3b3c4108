/**
 * Alerts that the service sends to an agent and its owners (contract 17). They report refusals over a limit, sealed
 * content that differs from the record, the use of an invalid token, a loaded key, and a late result. Pure.
 *
 * Invariant: for one event, entry and code there is at most one alert in `alert_seconds`. The vault remembers only the
 * latest `alerts_max` alerts, so with more different ones an alert may come again sooner.
 */
import type { VaultAlert } from "../../schemas/vault/records.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { VaultEvent, VaultState } from "./state.ts"

export type Alert = Omit<VaultAlert, "at">

/** Alerts with the same event, entry and code count as one alert. */
export const aboutOf = ({ event, entry_id, code }: Alert): string => [event, entry_id ?? "", code ?? ""].join(":")

type AlertLimits = Pick<Limits["service"]["vault"], "alert_seconds">

/** The event of an alert. There is none if the same alert was sent less than `alert_seconds` before or after `at`. */
export const alerting = (
  state: VaultState,
  alert: Alert,
  at: number,
  { alert_seconds }: AlertLimits
): ReadonlyArray<VaultEvent> => {
  const before = state?.alerts.find(({ about }) => about === aboutOf(alert))
  if (before !== undefined && Math.abs(at - before.at) < alert_seconds * 1000) return []
  return [{ type: "vault.alerted", v: 1, ...alert, at: new Date(at).toISOString() }]
}

const PLAIN = { entry_id: null, label: null, origin: null, code: null, amount: null, currency: null } as const

export const alertOf = (event: Alert["event"], about: Partial<Alert> = {}): Alert => ({ ...PLAIN, ...about, event })
