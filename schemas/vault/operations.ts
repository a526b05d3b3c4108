/**
 * Kind `vault`, whose id is the hub id of its agent. Requests with a token contain the token's sha256, and the vault
 * decides if the token is valid. Ciphertexts are stored in a separate stream, never in the log.
 */
import { Schema } from "effect"
import { Author } from "../content/author.ts"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { FiredTimer } from "../timer.ts"
import { OpenFill, Uuid, WantedConsent, WantedLimits } from "./fields.ts"
import {
  AskedFill,
  ClosedFill,
  ConsentAsked,
  CreatedSource,
  EntryKind,
  FillableEntry,
  OpenedFill,
  Vault,
  VaultAlert,
  VaultEntry,
  VaultLogLine,
  VaultSource,
  VaultToSeal
} from "./records.ts"

/** sha256 of a token, in hex. */
const Hash = Schema.String

/** The writer: the agent, by its signature, or the holder of a token. */
export const Writer = Schema.Union([
  Schema.Struct({ type: Schema.Literal("agent") }),
  Schema.Struct({ type: Schema.Literals(["source", "service"]), hash: Hash })
])
export type Writer = typeof Writer.Type

/** `WriteEntry` after its form was checked, with its writer. */
export const EntryToWrite = Schema.Struct({
  by: Writer,
  uid: Uuid,
  kind: EntryKind,
  label: Schema.NullOr(Schema.String),
  origins: Schema.Array(Schema.String),
  limits: Schema.NullOr(WantedLimits),
  consent: Schema.NullOr(WantedConsent),
  unconfirmed: Schema.Boolean,
  ciphertext: Schema.String
})
export type EntryToWrite = typeof EntryToWrite.Type

const Entry = Schema.Struct({ entry: Schema.Int })
const Page = { page: Schema.Int, per_page: Schema.Int }

/** Ids of people. */
const EntryConsenters = Schema.Struct({ entry: Schema.Int, humans: Schema.Array(Schema.String) })

export const vaultOperations = operationsOf("vault", {
  /** Refused `not_found` if the agent never had a vault. */
  "vault.look": op({ input: Nothing, output: Vault, askedBy: ["edge", "keeper"] }),
  /** Refused `vault_exists`. */
  "vault.create": op({ input: Nothing, output: Vault, askedBy: ["edge"] }),
  /**
   * The keeper publishes the public key after it has stored the private one. A repetition changes nothing. Refused
   * `not_found` for a revoked vault.
   */
  "vault.publish_key": op({
    input: Schema.Struct({ uid: Uuid, public_key: Schema.String }),
    output: Nothing,
    askedBy: ["keeper"]
  }),
  "vault.entries": op({ input: Schema.Struct(Page), output: paged(VaultEntry), askedBy: ["edge"] }),
  "vault.entry": op({ input: Entry, output: VaultEntry, askedBy: ["edge"] }),
  /**
   * Refused `vault_not_active`, `vault_full`, `vault_entry_exists`, `vault_kind_not_allowed`, `limits_required`,
   * `limits_above_ceiling`, `origins_required`, `owner_none`, `token_invalid`, `validation_error`.
   */
  "vault.write_entry": op({ input: EntryToWrite, output: VaultEntry, askedBy: ["edge"] }),
  /** Refused `vault_widening_refused`, `limits_above_ceiling`, `entry_unknown`, `validation_error`. */
  "vault.change_entry": op({
    input: Schema.Struct({
      entry: Schema.Int,
      origins: Schema.NullOr(Schema.Array(Schema.String)),
      limits: Schema.NullOr(WantedLimits)
    }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /** `by` is recorded in the journal. */
  "vault.delete_entry": op({
    input: Schema.Struct({ entry: Schema.Int, by: Schema.Literals(["agent", "owner"]) }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  "vault.sources": op({ input: Nothing, output: Schema.Array(VaultSource), askedBy: ["edge"] }),
  /** Answers with the new token. Only a repetition of the same command gets it again. */
  "vault.create_source": op({
    input: Schema.Struct({ label: Schema.String, kinds: Schema.Array(EntryKind) }),
    output: CreatedSource,
    askedBy: ["edge"]
  }),
  "vault.delete_source": op({ input: Schema.Struct({ source: Schema.Int }), output: Nothing, askedBy: ["edge"] }),
  /** The vault's data that the holder of a token may read. Refused `token_invalid`. */
  "vault.by_token": op({
    input: Schema.Struct({ type: Schema.Literals(["source", "service"]), hash: Hash }),
    output: VaultToSeal,
    askedBy: ["edge"]
  }),
  /** The oldest `entries_told_max` entries that the token's fill service may use, of those after the entry `after`. */
  "vault.fillable": op({
    input: Schema.Struct({
      hash: Hash,
      origin: Schema.NullOr(Schema.String),
      kind: Schema.NullOr(EntryKind),
      after: Schema.optionalKey(Schema.Int)
    }),
    output: Schema.Array(FillableEntry),
    askedBy: ["edge"]
  }),
  /**
   * Makes a token for a fill service valid. An earlier token of the same place ends. `order` is the keeper's order of
   * the place's tokens. `run` is the run of the compartment that is the place; the token ends with it. Older keepers
   * send neither. Refused `token_invalid` if the token has ended, or if the place has a token of a later order;
   * `not_found` if the compartment does not run this run; `vault_not_active`, `vault_full`.
   */
  "vault.admit_service": op({
    input: Schema.Struct({
      uid: Uuid,
      place: Schema.String,
      hash: Hash,
      order: Schema.optionalKey(Schema.Int),
      run: Schema.optionalKey(Schema.Int)
    }),
    output: Nothing,
    askedBy: ["keeper"]
  }),
  /** Ends the token of a compartment's fill service if the run that it is for is over. Reactions ask this. */
  "vault.check_service": op({ input: Schema.Struct({ place: Schema.String }), output: Nothing, askedBy: [] }),
  /**
   * Asked before the keeper gives out the private key. Refused `token_invalid`, `vault_not_active`, `vault_key_taken`.
   */
  "vault.load_key": op({
    input: Schema.Struct({ hash: Hash, ephemeral: Hash }),
    output: Schema.Struct({ uid: Schema.String, place: Schema.String }),
    askedBy: ["keeper"]
  }),
  /**
   * The policy check, followed by the journal entry: the answer is given only if the fill is in the log. Refused with
   * the codes of contract 9; `fills_pending_full`; `owner_none` if an owner must allow it and there is none who may
   * (actors/vault/consenters.ts).
   */
  "vault.fill": op({
    input: Schema.Struct({ hash: Hash, wanted: OpenFill }),
    output: Schema.Struct({ fill: Schema.Int }),
    askedBy: ["edge"]
  }),
  /**
   * Returns the ciphertext of a pending fill. For a fill that waits for an owner's consent, it says so. Refused
   * `owner_declined`, `fill_expired`, `entry_unknown`, `not_found`.
   */
  "vault.opened": op({
    input: Schema.Struct({ hash: Hash, fill: Schema.Int }),
    output: Schema.Union([OpenedFill, AskedFill]),
    askedBy: ["edge"]
  }),
  /**
   * A waiting fill, as an owner who may consent to it sees it. Refused `not_found` for everybody else, and for a fill
   * that no longer waits.
   */
  "vault.asked": op({
    input: Schema.Struct({ human: Schema.String, fill: Schema.Int }),
    output: ConsentAsked,
    askedBy: ["edge"]
  }),
  /**
   * An owner allows or declines a fill. Refused `not_found` for everybody else, and for a fill that no longer waits.
   */
  "vault.consent": op({
    input: Schema.Struct({ human: Schema.String, fill: Schema.Int, allow: Schema.Boolean }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /**
   * The vault for one of the agent's owners, without secrets: the newest `entries_told_max` entries, of those before
   * the entry `before`. `null` if there is no vault.
   */
  "vault.owned": op({
    input: Schema.Struct({ human: Schema.String, before: Schema.NullOr(Schema.Int) }),
    output: Schema.NullOr(
      Schema.Struct({
        vault: Vault,
        entries: Schema.Array(VaultEntry),
        asked: Schema.Array(ConsentAsked),
        /** The people who may consent now, for each of these entries that has consent. Earlier releases do not say. */
        consenters: Schema.optionalKey(Schema.Array(EntryConsenters))
      })
    ),
    askedBy: ["edge"]
  }),
  /**
   * A captcha of a fill is sent to the owners. The first one extends the fill's time, so that they can answer. Refused
   * `fill_expired`, `captcha_unsolved`.
   */
  "vault.relay": op({
    input: Schema.Struct({ hash: Hash, fill: Schema.Int, round: Schema.Int }),
    output: Schema.Struct({ origin: Schema.String }),
    askedBy: ["edge"]
  }),
  /** A request came with an invalid token. If it was valid once, the agent and its owners are alerted. */
  "vault.misused": op({ input: Schema.Struct({ hash: Hash }), output: Nothing, askedBy: ["edge"] }),
  "vault.end_fill": op({
    input: Schema.Struct({
      hash: Hash,
      fill: Schema.Int,
      status: Schema.Literals(["done", "failed"]),
      code: Schema.NullOr(Schema.String),
      accepted: Schema.optionalKey(Schema.Boolean)
    }),
    output: ClosedFill,
    askedBy: ["edge"]
  }),
  "vault.revoke": op({
    input: Nothing,
    output: Schema.Struct({ revoked: Schema.Literal(true), revoked_at: Schema.String }),
    askedBy: ["edge"]
  }),
  /** Revokes the vault of an agent that was banned or deleted. Does nothing if there is no vault. */
  "vault.end": op({ input: Nothing, output: Nothing, askedBy: [] }),
  /** Erases ciphertexts: that of a deleted entry, or all of a revoked vault (`sha256` is `null`). */
  "vault.erase": op({
    input: Schema.Struct({ uid: Schema.String, sha256: Schema.NullOr(Schema.String) }),
    output: Nothing,
    askedBy: []
  }),
  "vault.timer": op({ input: FiredTimer, output: Nothing, askedBy: [] })
})

export const newsOperations = operationsOf("agent", {
  /** An alert about the agent's vault, at most once a minute for each entry and code. */
  "agent.vault_alert": op({ input: VaultAlert, output: Nothing, askedBy: [] }),
  /** An owner has allowed a fill, or declined it. */
  "agent.vault_consent": op({
    input: Schema.Struct({ fill: Schema.Int, entry: Schema.Int, origin: Schema.String, allowed: Schema.Boolean }),
    output: Nothing,
    askedBy: []
  })
})

export const tokenOperations = operationsOf("agent", {
  /**
   * Admits a request with a token of the agent's vault. It may do only what the agent's standing allows. A fill service
   * uses the agent's bucket. All sources (`source`) share a bucket of their own, so that none of them keeps the agent
   * from ending it.
   */
  "agent.admit_token": op({
    input: Schema.Struct({ writes: Schema.Boolean, source: Schema.optionalKey(Schema.Literal(true)) }),
    output: Nothing,
    askedBy: ["edge"]
  })
})

export const operations = { ...vaultOperations, ...tokenOperations, ...newsOperations }

export const queries = {
  /** Counts the vaults that have their key and are not revoked. */
  vaults_active: query({ input: Nothing, output: Schema.Struct({ active: Schema.Int }) }),
  /** Fills that wait for a person's consent. The fill that expires first comes first. */
  consents_pending: query({
    input: Schema.Struct({ human: Schema.String }),
    output: Schema.Array(Schema.Struct({ agent: Author, fill: Schema.Int, expires_at: Schema.String }))
  }),
  vault_log: query({ input: Schema.Struct({ agent: Schema.String, ...Page }), output: paged(VaultLogLine) }),
  /**
   * Answered by the keeper: the private key, sealed to the one-time key of a fill service. A repetition with the same
   * token and one-time key gets it again; with another key it is refused `vault_key_taken`.
   */
  keeper_key: query({
    input: Schema.Struct({ agent: Schema.String, token: Schema.String, ephemeral_public_key: Schema.String }),
    output: Schema.Struct({ vault: Schema.String, public_key: Schema.String, sealed_key: Schema.String })
  }),
  /**
   * Answered by the keeper to operators: a token for a fill service at `place`. An earlier token of the place ends.
   * `request` is a random text of the asker. A repetition with the same text gets the same token. Older releases do not
   * send it.
   */
  keeper_issue: query({
    input: Schema.Struct({ agent: Schema.String, place: Schema.String, request: Schema.optionalKey(Schema.String) }),
    output: Schema.Struct({ token: Schema.String })
  }),
  /**
   * Answered by the keeper to hosts of compartments: a token for the fill service in a compartment. The compartment's
   * actor must confirm that it belongs to the agent and should run. Refused `not_found` otherwise, and if `run` is not
   * its newest run. The token ends with the run. Older hosts do not send `run`.
   */
  keeper_issue_inside: query({
    input: Schema.Struct({
      agent: Schema.String,
      compartment: Schema.String,
      request: Schema.optionalKey(Schema.String),
      run: Schema.optionalKey(Schema.Int)
    }),
    output: Schema.Struct({ token: Schema.String })
  }),
  /** Answered by the keeper: true if it can open keys that are sealed under HUB_VAULT_KEY. */
  keeper_health: query({ input: Nothing, output: Schema.Struct({ key_ok: Schema.Boolean }) }),
  /**
   * Answered by the keeper to operators: seals keys that are under the former HUB_VAULT_KEY under the current one. It
   * looks at some keys from a sequence of its store on, and answers with the sequence for the next request.
   */
  keeper_rewrap: query({
    input: Schema.Struct({ from: Schema.Int }),
    output: Schema.Struct({
      /** The number of keys that were sealed again. */
      keys: Schema.Int,
      /** The number of keys found under the keeper's current HUB_VAULT_KEY. A key that is sealed again is found later. */
      current: Schema.Int,
      /** Vaults whose key neither the current nor the former HUB_VAULT_KEY opens. */
      unopened: Schema.Array(Schema.String),
      /** `null` if there are no further keys. */
      next: Schema.NullOr(Schema.Int)
    })
  })
}
