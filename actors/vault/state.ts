/**
 * An agent's vault. Its id is the agent's hub id (spec 2.10, 3.5, 4.12).
 *
 * Invariants
 *  - The state has no secrets: of ciphertexts and tokens it has only the sha256. Ciphertexts are in a separate stream.
 *    Money is counted in whole minor units.
 *  - A fill counts in the day of the commit that opens it, before any ciphertext is given out. It stops counting when
 *    it expires, and counts again if a late result reports success.
 *  - A fill that needs an owner's consent is `asked` until it is allowed, and counts meanwhile. If it is declined or
 *    not answered, it stops counting, and its ciphertext is never given out.
 *  - A revoked vault leaves no entries and no fills in the state. The next vault has another uid.
 */
import { Schema } from "effect"
import { EntryKind, FillAction, VaultAlert } from "../../schemas/vault/records.ts"
import { event, inventoryOf } from "../engine/events.ts"
import type { ActorOf } from "../kit/kind.ts"

/** Limits in minor units. */
export const MinorLimits = Schema.Struct({
  currency: Schema.String,
  per_payment: Schema.Int,
  per_day: Schema.Int,
  fills_per_day: Schema.Int
})
export type MinorLimits = typeof MinorLimits.Type

/** The fills of a day: `day` counts days of UTC since 1970. */
const DayTotal = Schema.Struct({ day: Schema.Int, minor: Schema.Int, fills: Schema.Int })
export type DayTotal = typeof DayTotal.Type

const written = {
  uid: Schema.String,
  kind: EntryKind,
  label: Schema.NullOr(Schema.String),
  origins: Schema.Array(Schema.String),
  limits: Schema.NullOr(MinorLimits),
  source: Schema.String,
  unconfirmed: Schema.Boolean,
  /** The sha256 of the ciphertext. */
  sha256: Schema.String
}

const EntryOwner = Schema.Struct({ sponsorship: Schema.Int, human: Schema.String })
export type EntryOwner = typeof EntryOwner.Type

/**
 * The fills that an owner has to allow: payments above this many minor units, or, if `null`, every fill. `owners`:
 * those who could consent when the entry was written; absent in older events (consenters.ts).
 */
const ConsentValue = Schema.Struct({
  above: Schema.NullOr(Schema.Int),
  owners: Schema.optionalKey(Schema.Array(EntryOwner))
})
export type ConsentValue = typeof ConsentValue.Type

export const EntryValue = Schema.Struct({
  id: Schema.Int,
  ...written,
  consent: Schema.NullOr(ConsentValue),
  /** Unix ms. */
  created_at: Schema.Number,
  updated_at: Schema.Number,
  last_used_at: Schema.NullOr(Schema.Number),
  uses: Schema.Int,
  /** The totals of the newest days. */
  days: Schema.Array(DayTotal),
  /**
   * The consent that the same sealed box needed when it was in the vault before, and the time of that entry in Unix ms.
   * It applies again if the box is written once more.
   */
  former: Schema.optionalKey(Schema.Struct({ consent: ConsentValue, created_at: Schema.Number }))
})
export type EntryValue = typeof EntryValue.Type

const SourceValue = Schema.Struct({
  id: Schema.Int,
  label: Schema.String,
  kinds: Schema.Array(EntryKind),
  hash: Schema.String,
  created_at: Schema.Number
})
export type SourceValue = typeof SourceValue.Type

/**
 * A fill service; each place where one runs has one. `ephemeral`: the sha256 of the one-time key that the private key
 * was sealed to; `null` before that. `order`: the keeper's order of the place's tokens; absent if an older keeper made
 * the token. `run`: the run of the compartment that the token is for; absent at other places, and in tokens of older
 * releases.
 */
const ServiceValue = Schema.Struct({
  place: Schema.String,
  hash: Schema.String,
  ephemeral: Schema.NullOr(Schema.String),
  order: Schema.optionalKey(Schema.Int),
  run: Schema.optionalKey(Schema.Int)
})
export type ServiceValue = typeof ServiceValue.Type

const opened = {
  fill: Schema.Int,
  entry: Schema.Int,
  action: FillAction,
  origin: Schema.String,
  day: Schema.Int,
  /** The amount of a payment in minor units. */
  minor: Schema.NullOr(Schema.Int),
  place: Schema.String,
  /** Unix ms. */
  expires_at: Schema.Number
}

const FillValue = Schema.Struct({
  ...opened,
  status: Schema.Literals(["asked", "pending", "expired", "declined", "unanswered"]),
  consented: Schema.Boolean,
  /** The number of captcha pictures that were shown to the owners. */
  rounds: Schema.Int
})
export type FillValue = typeof FillValue.Type

/** The time of the last alert with this text (`aboutOf`), in Unix ms. */
const AlertValue = Schema.Struct({ about: Schema.String, at: Schema.Number })

export const VaultValue = Schema.Struct({
  uid: Schema.String,
  status: Schema.Literals(["pending_key", "active", "revoked"]),
  public_key: Schema.NullOr(Schema.String),
  created_at: Schema.Number,
  revoked_at: Schema.NullOr(Schema.Number),
  /** The newest numbers. They are never used again in any vault of this agent. */
  last: Schema.Struct({ entry: Schema.Int, source: Schema.Int, fill: Schema.Int }),
  entries: Schema.Array(EntryValue),
  sources: Schema.Array(SourceValue),
  services: Schema.Array(ServiceValue),
  fills: Schema.Array(FillValue),
  /**
   * The newest deleted entries, with the totals of cards and the people whose consent was needed. A new entry with the
   * same uid continues from there.
   */
  deleted: Schema.Array(
    Schema.Struct({
      uid: Schema.String,
      days: Schema.Array(DayTotal),
      consent: Schema.NullOr(ConsentValue),
      created_at: Schema.Number,
      deleted_at: Schema.Number
    })
  ),
  alerts: Schema.Array(AlertValue),
  /** The newest hashes of tokens that are not valid any more. Their use is reported. */
  ended: Schema.Array(Schema.String),
  /**
   * Alerts about the use of tokens of `ended`. `told`: the hashes that an alert was about. `at`: the newest alert (Unix
   * ms). `again`: the number of alerts about a token that had one before. Absent before the first alert.
   */
  ended_used: Schema.optionalKey(
    Schema.Struct({ told: Schema.Array(Schema.String), at: Schema.Number, again: Schema.Int })
  ),
  /**
   * Those of `ended` whose program was still to be stopped, and when they ended (Unix ms). Absent in states of older
   * releases.
   */
  stopping: Schema.optionalKey(Schema.Array(Schema.Struct({ hash: Schema.String, at: Schema.Number }))),
  /** Unix ms from which cards may be filled; `null` if always. */
  cards_from: Schema.NullOr(Schema.Number)
})
export type VaultValue = typeof VaultValue.Type
export const VaultState = Schema.NullOr(VaultValue)
export type VaultState = typeof VaultState.Type

export const VaultEvent = Schema.Union([
  event("vault.created", 1, { uid: Schema.String }),
  event("vault.key_published", 1, { uid: Schema.String, public_key: Schema.String }),
  event("vault.entry_written", 1, {
    /** The uid of the vault. */
    vault: Schema.String,
    entry: Schema.Int,
    ...written,
    /** A new profile replaces the former one and its ciphertext. */
    replaced: Schema.NullOr(Schema.Struct({ entry: Schema.Int, sha256: Schema.String }))
  }),
  /** Follows the event of writing the entry: an owner has to allow its fills. */
  event("vault.consent_required", 1, { entry: Schema.Int, ...ConsentValue.fields }),
  event("vault.entry_changed", 1, {
    entry: Schema.Int,
    kind: EntryKind,
    origins: Schema.Array(Schema.String),
    limits: Schema.NullOr(MinorLimits)
  }),
  event("vault.entry_deleted", 1, {
    entry: Schema.Int,
    kind: EntryKind,
    /** The uid of the vault. */
    vault: Schema.String,
    sha256: Schema.String,
    by: Schema.String
  }),
  event("vault.source_created", 1, {
    source: Schema.Int,
    label: Schema.String,
    kinds: Schema.Array(EntryKind),
    hash: Schema.String
  }),
  event("vault.source_revoked", 1, { source: Schema.Int }),
  event("vault.service_admitted", 1, {
    place: Schema.String,
    hash: Schema.String,
    order: Schema.optionalKey(Schema.Int),
    run: Schema.optionalKey(Schema.Int)
  }),
  /** The run of the place's compartment is over. */
  event("vault.service_ended", 1, {
    place: Schema.String,
    /** The program in the compartment may still be running. */
    stopping: Schema.optionalKey(Schema.Literal(true))
  }),
  event("vault.key_loaded", 1, { place: Schema.String, ephemeral: Schema.String }),
  event("vault.fill_opened", 1, { ...opened, kind: EntryKind, currency: Schema.NullOr(Schema.String) }),
  /**
   * Written by `hub restore` after the gap of the log: events since the backup are not known. `cards_from`: Unix ms,
   * the end of the day of the restore, or `null` if an operator answers for payments since the backup. `skipped`: the
   * count of numbers that fills, entries and sources skip, because an owner's answer names its fill by number. Open
   * fills end. Absent in events of older releases, which left both as they were.
   */
  event("vault.restored", 1, {
    cards_from: Schema.NullOr(Schema.Number),
    skipped: Schema.optionalKey(Schema.Int)
  }),
  /** Follows the opening of the fill, which now waits for one of the owners. */
  event("vault.consent_asked", 1, {
    fill: Schema.Int,
    entry: Schema.Int,
    owners: Schema.Array(Schema.String),
    expires_at: Schema.Number
  }),
  event("vault.consent_given", 1, {
    fill: Schema.Int,
    entry: Schema.Int,
    human: Schema.String,
    origin: Schema.String,
    expires_at: Schema.Number
  }),
  event("vault.consent_declined", 1, {
    fill: Schema.Int,
    entry: Schema.Int,
    human: Schema.String,
    origin: Schema.String,
    /** Unix ms before which no owner is asked for this entry. */
    until: Schema.Number
  }),
  event("vault.captcha_relayed", 1, { fill: Schema.Int, round: Schema.Int, expires_at: Schema.Number }),
  /**
   * An alert for the agent and its owners. `hash`: the ended token that was used; absent in other alerts, and in events
   * of older releases.
   */
  event("vault.alerted", 1, { ...VaultAlert.fields, hash: Schema.optionalKey(Schema.String) }),
  event("vault.fill_refused", 1, {
    entry: Schema.NullOr(Schema.Int),
    kind: Schema.NullOr(EntryKind),
    action: FillAction,
    origin: Schema.String,
    /** The asked amount, in decimals. */
    amount: Schema.NullOr(Schema.String),
    currency: Schema.NullOr(Schema.String),
    place: Schema.String,
    code: Schema.String
  }),
  event("vault.fill_ended", 1, {
    fill: Schema.Int,
    entry: Schema.Int,
    status: Schema.Literals(["done", "failed"]),
    code: Schema.NullOr(Schema.String),
    late: Schema.Boolean,
    /** Absent if the fill service does not report it. */
    accepted: Schema.optionalKey(Schema.Boolean)
  }),
  event("vault.fills_expired", 1, { fills: Schema.Array(Schema.Int) }),
  event("vault.revoked", 1, { uid: Schema.String, by: Schema.String })
])
export type VaultEvent = typeof VaultEvent.Type

export const VAULT_EVENTS = inventoryOf(VaultEvent)

export type VaultActor = ActorOf<VaultState, VaultEvent>
