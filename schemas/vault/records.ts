/**
 * The vault as its agent and its sources see it (spec 2.10; contract 9, 17). No record has a private key, and only
 * `OpenedFill` has a ciphertext.
 */
import { Schema } from "effect"
import { Author } from "../content/author.ts"

export const ENTRY_KINDS = ["login", "card", "profile", "secret"] as const
export const EntryKind = Schema.Literals(ENTRY_KINDS)
export type EntryKind = typeof EntryKind.Type

const FILL_ACTIONS = ["login", "signup", "pay", "secret"] as const
export const FillAction = Schema.Literals(FILL_ACTIONS)
export type FillAction = typeof FillAction.Type

const VAULT_STATUSES = ["pending_key", "active", "revoked"] as const
const VaultStatus = Schema.Literals(VAULT_STATUSES)

export const Vault = Schema.Struct({
  /** UUID, sealed inside every entry. */
  uid: Schema.String,
  status: VaultStatus,
  /** X25519, base64 of 32 bytes; `null` until it has been made. */
  public_key: Schema.NullOr(Schema.String),
  entries: Schema.Int,
  sources: Schema.Int,
  created_at: Schema.String,
  revoked_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Vault" })
export type Vault = typeof Vault.Type

/** Amounts as decimal texts of the currency's main unit. */
export const CardLimits = Schema.Struct({
  currency: Schema.String,
  per_payment: Schema.String,
  per_day: Schema.String,
  fills_per_day: Schema.Int
}).annotate({ identifier: "CardLimits" })
export type CardLimits = typeof CardLimits.Type

/** The fills that need an owner's consent: every fill, or payments of more than a sum. */
export const Consent = Schema.Union([
  Schema.Literal("owner"),
  Schema.Struct({ above: Schema.String, currency: Schema.String })
]).annotate({ identifier: "VaultConsent" })
export type Consent = typeof Consent.Type

export const VaultEntry = Schema.Struct({
  id: Schema.Int,
  uid: Schema.String,
  kind: EntryKind,
  label: Schema.NullOr(Schema.String),
  origins: Schema.Array(Schema.String),
  limits: Schema.NullOr(CardLimits),
  consent: Schema.NullOr(Consent),
  /** `agent`, `fill_service` or `source:<id>`. */
  source: Schema.String,
  /** True for a sign-up that its website has not accepted yet. */
  unconfirmed: Schema.Boolean,
  created_at: Schema.String,
  updated_at: Schema.String,
  last_used_at: Schema.NullOr(Schema.String),
  /** The number of successful fills. */
  uses: Schema.Int
}).annotate({ identifier: "VaultEntry" })
export type VaultEntry = typeof VaultEntry.Type

/** The only fields that a source gets of its entry. */
export const WrittenEntry = Schema.Struct({ id: Schema.Int, uid: Schema.String }).annotate({
  identifier: "WrittenVaultEntry"
})

export const VaultSource = Schema.Struct({
  id: Schema.Int,
  label: Schema.String,
  kinds: Schema.Array(EntryKind),
  created_at: Schema.String
}).annotate({ identifier: "VaultSource" })
export type VaultSource = typeof VaultSource.Type

export const CreatedSource = Schema.Struct({
  ...VaultSource.fields,
  /** The token `hxs_…`, which is shown only once. */
  token: Schema.String
}).annotate({ identifier: "CreatedVaultSource" })

/** The facts that sealing an entry requires. */
export const VaultToSeal = Schema.Struct({
  vault: Schema.String,
  public_key: Schema.NullOr(Schema.String),
  status: VaultStatus,
  kinds: Schema.Array(EntryKind)
})
export type VaultToSeal = typeof VaultToSeal.Type

/** The facts for sealing together with the vault's agent, so that a source can check that it is the right vault. */
export const SourceVault = Schema.Struct({ ...VaultToSeal.fields, agent: Author }).annotate({
  identifier: "SourceVault"
})
export type SourceVault = typeof SourceVault.Type

const JOURNAL_EVENTS = [
  "fill",
  "refusal",
  "signup",
  "entry_created",
  "entry_changed",
  "entry_deleted",
  "source_created",
  "source_revoked",
  "key_generated",
  "key_loaded",
  "revoked"
] as const
const JournalEvent = Schema.Literals(JOURNAL_EVENTS)

const FILL_STATUSES = ["pending", "done", "failed", "expired"] as const
export const FillStatus = Schema.Literals(FILL_STATUSES)
export type FillStatus = typeof FillStatus.Type

export const VaultLogLine = Schema.Struct({
  id: Schema.Int,
  at: Schema.String,
  event: JournalEvent,
  /** `agent`, `owner`, `fill_service`, `source:<id>`, `keeper` or `service`. */
  actor: Schema.String,
  entry_id: Schema.NullOr(Schema.Int),
  kind: Schema.NullOr(EntryKind),
  origin: Schema.NullOr(Schema.String),
  amount: Schema.NullOr(Schema.String),
  currency: Schema.NullOr(Schema.String),
  /** The status of a fill, if the line is about one. */
  status: Schema.NullOr(FillStatus),
  /** The code of a refusal, or of a fill that failed. */
  code: Schema.NullOr(Schema.String)
}).annotate({ identifier: "VaultLogLine" })
export type VaultLogLine = typeof VaultLogLine.Type

/** The fields of an entry that the fill service compares with the sealed content. */
const OpenedEntry = Schema.Struct({
  uid: Schema.String,
  kind: EntryKind,
  origins: Schema.Array(Schema.String),
  limits: Schema.NullOr(CardLimits),
  consent: Schema.NullOr(Consent),
  /** True if no page has visibly accepted the sign-up yet. */
  unconfirmed: Schema.optionalKey(Schema.Boolean)
})

export const OpenedFill = Schema.Struct({
  fill_id: Schema.Int,
  vault: Schema.String,
  entry: OpenedEntry,
  ciphertext: Schema.String,
  /** True if an owner has allowed this very fill. */
  consented: Schema.Boolean,
  expires_at: Schema.String
}).annotate({ identifier: "OpenedVaultFill" })

export const AskedFill = Schema.Struct({
  fill_id: Schema.Int,
  consent: Schema.Literal("pending"),
  expires_at: Schema.String
}).annotate({ identifier: "AskedVaultFill" })
export type AskedFill = typeof AskedFill.Type

/** The facts of a fill that an owner sees before consenting. */
export const ConsentAsked = Schema.Struct({
  fill_id: Schema.Int,
  entry_id: Schema.Int,
  kind: EntryKind,
  label: Schema.NullOr(Schema.String),
  action: FillAction,
  origin: Schema.String,
  amount: Schema.NullOr(Schema.String),
  currency: Schema.NullOr(Schema.String),
  expires_at: Schema.String
})
export type ConsentAsked = typeof ConsentAsked.Type

export const ClosedFill = Schema.Struct({
  fill_id: Schema.Int,
  status: FillStatus,
  /** True if the result came after the fill had expired. */
  late: Schema.Boolean
}).annotate({ identifier: "ClosedVaultFill" })

export const FillableEntry = Schema.Struct({
  id: Schema.Int,
  uid: Schema.String,
  kind: EntryKind,
  label: Schema.NullOr(Schema.String),
  origins: Schema.Array(Schema.String)
}).annotate({ identifier: "FillableVaultEntry" })

/** Codes with which the policy refuses a fill (contract 9). */
const POLICY_CODES = [
  "kind_mismatch",
  "origin_mismatch",
  "origin_not_allowed",
  "page_not_https",
  "page_host_refused",
  "currency_mismatch",
  "amount_over_payment",
  "amount_over_day",
  "fills_over_day"
] as const
export type PolicyCode = (typeof POLICY_CODES)[number]

const ALERT_EVENTS = ["refusal", "sealed_mismatch", "token_ended", "key_loaded", "late_fill"] as const

/** Payload of `vault.alert` (contract 17). */
export const VaultAlert = Schema.Struct({
  event: Schema.Literals(ALERT_EVENTS),
  entry_id: Schema.NullOr(Schema.Int),
  label: Schema.NullOr(Schema.String),
  origin: Schema.NullOr(Schema.String),
  code: Schema.NullOr(Schema.String),
  amount: Schema.NullOr(Schema.String),
  currency: Schema.NullOr(Schema.String),
  at: Schema.String
})
export type VaultAlert = typeof VaultAlert.Type
