/** The public form of a vault and its entries. Pure. */
import type { Vault, VaultEntry, VaultSource, VaultToSeal } from "../../schemas/vault/records.ts"
import { ENTRY_KINDS } from "../../schemas/vault/records.ts"
import { consentRecord, limitsRecord } from "./policy.ts"
import type { EntryValue, SourceValue, VaultValue } from "./state.ts"
import { iso } from "../../schemas/iso.ts"

const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at))

export const vaultRecord = (state: VaultValue): Vault => ({
  uid: state.uid,
  status: state.status,
  public_key: state.public_key,
  entries: state.entries.length,
  sources: state.sources.length,
  created_at: iso(state.created_at),
  revoked_at: isoOrNull(state.revoked_at)
})

export const entryRecord = (entry: EntryValue): VaultEntry => ({
  id: entry.id,
  uid: entry.uid,
  kind: entry.kind,
  label: entry.label,
  origins: entry.origins,
  limits: limitsRecord(entry.limits),
  consent: consentRecord(entry),
  source: entry.source,
  unconfirmed: entry.unconfirmed,
  created_at: iso(entry.created_at),
  updated_at: iso(entry.updated_at),
  last_used_at: isoOrNull(entry.last_used_at),
  uses: entry.uses
})

export const sourceRecord = ({ id, label, kinds, created_at }: SourceValue): VaultSource => ({
  id,
  label,
  kinds,
  created_at: iso(created_at)
})

/** `source`: `null` for a fill service, which may write all kinds. */
export const toSeal = ({ uid, public_key, status }: VaultValue, source: SourceValue | null): VaultToSeal => ({
  vault: uid,
  public_key,
  status,
  kinds: source?.kinds ?? [...ENTRY_KINDS]
})
