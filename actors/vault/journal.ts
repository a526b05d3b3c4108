/** The rows of a vault's journal. Results and ends of fills change the row of their fill. */
import { amountOf } from "../../schemas/vault/money.ts"
import type { EntryKind, FillStatus } from "../../schemas/vault/records.ts"
import { eventsOf } from "../engine/events.ts"
import type { Logged } from "../projections/projection.ts"
import { lineNumber } from "../tables/rows.ts"
import { VaultEvent } from "./state.ts"

export interface JournalRow {
  readonly id: number
  readonly agent: string
  readonly at: string
  readonly event: string
  readonly actor: string
  readonly entry: number | null
  readonly kind: EntryKind | null
  readonly origin: string | null
  readonly amount: string | null
  readonly currency: string | null
  readonly status: FillStatus | null
  readonly code: string | null
  readonly fill: number | null
}

type Line = Pick<JournalRow, "event" | "actor"> & Partial<JournalRow>

const FILL_SERVICE = "fill_service"

const lineOf = (event: VaultEvent): Line | null => {
  switch (event.type) {
    case "vault.key_published":
      return { event: "key_generated", actor: "keeper" }
    case "vault.entry_written":
      return { event: "entry_created", actor: event.source, entry: event.entry, kind: event.kind }
    case "vault.entry_changed":
      return { event: "entry_changed", actor: "agent", entry: event.entry, kind: event.kind }
    case "vault.entry_deleted":
      return { event: "entry_deleted", actor: event.by, entry: event.entry, kind: event.kind }
    case "vault.source_created":
      return { event: "source_created", actor: "agent" }
    case "vault.source_revoked":
      return { event: "source_revoked", actor: "agent" }
    case "vault.key_loaded":
      return { event: "key_loaded", actor: FILL_SERVICE }
    case "vault.fill_opened": {
      const { fill, entry, kind, origin, minor, currency, action } = event
      const money = minor === null || currency === null ? {} : { amount: amountOf(minor, currency), currency }
      const name = action === "signup" ? "signup" : "fill"
      return { event: name, actor: FILL_SERVICE, entry, kind, origin, ...money, status: "pending", fill }
    }
    case "vault.fill_refused": {
      const { entry, kind, origin, amount, currency, code } = event
      return { event: "refusal", actor: FILL_SERVICE, entry, kind, origin, amount, currency, code }
    }
    case "vault.revoked":
      return { event: "revoked", actor: event.by }
    case "vault.created":
    case "vault.restored":
    case "vault.service_admitted":
    case "vault.service_ended":
    case "vault.fill_ended":
    case "vault.fills_expired":
    case "vault.consent_required":
    case "vault.consent_asked":
    case "vault.consent_given":
    case "vault.consent_declined":
    case "vault.captcha_relayed":
    case "vault.alerted":
      return null
  }
}

const NOTHING = {
  entry: null,
  kind: null,
  origin: null,
  amount: null,
  currency: null,
  status: null,
  code: null,
  fill: null
}

export const journalOf = ({ seq, id: agent, commit }: Logged): ReadonlyArray<JournalRow> => {
  const at = new Date(commit.at).toISOString()
  return eventsOf(VaultEvent, commit).flatMap((event, index) => {
    const line = lineOf(event)
    return line === null ? [] : [{ id: lineNumber(seq, index), agent, at, ...NOTHING, ...line }]
  })
}
