/** An identity as websites and agents see it (spec 2.4, 2.5, 2.6; contract 3, 5). */
import { Schema } from "effect"
import { VERIFY_REASONS } from "./reasons.ts"

export const VERIFY_SCHEMES = ["hub-id", "web-bot-auth"] as const
export type VerifyScheme = (typeof VERIFY_SCHEMES)[number]

const Status = Schema.Literals(["active", "flagged", "retired"])
const Moderation = Schema.NullOr(Schema.Literals(["suspended", "banned"]))

export const Jwk = Schema.Struct({
  kty: Schema.Literal("OKP"),
  crv: Schema.Literal("Ed25519"),
  x: Schema.String,
  kid: Schema.String,
  alg: Schema.Literal("EdDSA"),
  use: Schema.Literal("sig")
})

/** One signature of the chain: the signed string, the key (standard base64), and the signature. */
const Signed = Schema.Struct({ public_key: Schema.String, string_to_sign: Schema.String, signature: Schema.String })

const SignedWithBody = Schema.Struct({ ...Signed.fields, body: Schema.String })

/**
 * Proves the change from one key to the next. The new key signed `by_new_key`. The agent's key before it (or its
 * recovery key) signed the request, whose string to sign ends with the sha256 of `request.body`. That body names the
 * new key.
 */
export const KeyProof = Schema.Struct({
  kind: Schema.Literals(["rotation", "recovery"]),
  by_new_key: Signed,
  request: SignedWithBody,
  /** For a recovery: the request in which an earlier key of the chain set the recovery key that signed `request`. */
  authorised_by: Schema.optionalKey(SignedWithBody)
}).annotate({ identifier: "KeyProof" })
export type KeyProof = typeof KeyProof.Type

const IdentityKey = Schema.Struct({
  public_key: Schema.String,
  status: Schema.Literals(["current", "retired"]),
  from: Schema.String,
  retired_at: Schema.optionalKey(Schema.String),
  /** The proof of the change to this key. The first key has none. */
  proof: Schema.optionalKey(KeyProof)
})

const shared = {
  handle: Schema.String,
  status: Status,
  moderation: Moderation,
  /** Standard base64; `null` for a retired identity. */
  public_key: Schema.NullOr(Schema.String),
  public_key_jwk: Schema.NullOr(Jwk),
  keys: Schema.Array(IdentityKey),
  trust: Schema.Number,
  reputation: Schema.Number,
  /** `null` if there is no public profile, because the agent is banned or retired. */
  profile_url: Schema.NullOr(Schema.String),
  id_url: Schema.String
}

export const IdentityRecord = Schema.Struct({
  id: Schema.String,
  hub_id: Schema.String,
  name: Schema.String,
  ...shared,
  /** Present only for an agent that was made for a person and has not passed registration's questions. */
  provisional: Schema.optionalKey(Schema.Literal(true)),
  created_at: Schema.String,
  api_url: Schema.String,
  user_agent: Schema.String,
  verify: Schema.Struct({
    headers: Schema.Array(Schema.String),
    string_to_sign: Schema.Array(Schema.String),
    online: Schema.String,
    offline: Schema.String,
    directory: Schema.String,
    failure_reasons: Schema.Array(Schema.String),
    spec: Schema.String
  })
}).annotate({ identifier: "IdentityRecord" })
export type IdentityRecord = typeof IdentityRecord.Type

/** An entry of the directory, under its agent number. `keys` have no proofs here; the record has them. */
export const DirectoryEntry = Schema.Struct({
  id: Schema.String,
  ...shared,
  provisional: Schema.optionalKey(Schema.Literal(true))
}).annotate({ identifier: "DirectoryEntry" })
export type DirectoryEntry = typeof DirectoryEntry.Type

export const Directory = Schema.Struct({
  generated_at: Schema.String,
  /** Only in an answer with changes: the entity tag of the request, without quotes. */
  since: Schema.optionalKey(Schema.String),
  /** Only in an answer with changes: true if there are more changes. */
  more: Schema.optionalKey(Schema.Boolean),
  max_number: Schema.Int,
  count: Schema.Int,
  agents: Schema.Record(Schema.String, DirectoryEntry)
}).annotate({ identifier: "Directory" })

export const Verdict = Schema.Struct({
  valid: Schema.Boolean,
  reason: Schema.NullOr(Schema.Literals(VERIFY_REASONS)),
  /** The kind of proof that was judged. */
  scheme: Schema.Literals(VERIFY_SCHEMES),
  /** The agent number that was claimed, if one could be read. */
  id: Schema.NullOr(Schema.String),
  handle: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String),
  trust: Schema.NullOr(Schema.Number),
  reputation: Schema.NullOr(Schema.Number),
  status: Schema.NullOr(Status),
  moderation: Moderation,
  profile_url: Schema.NullOr(Schema.String),
  id_url: Schema.NullOr(Schema.String),
  /** Present only for an agent that was made for a person and has not passed registration's questions. */
  provisional: Schema.optionalKey(Schema.Literal(true)),
  message: Schema.optionalKey(Schema.String),
  announced: Schema.optionalKey(Schema.Literal(true)),
  signature_ok: Schema.optionalKey(Schema.Literal(true))
}).annotate({ identifier: "Verdict" })
export type Verdict = typeof Verdict.Type

/** A website that asked the service to verify this agent's proofs, with the number of verifications. */
export const HostVerifications = Schema.Struct({
  host: Schema.String,
  count: Schema.Int,
  first_at: Schema.String,
  last_at: Schema.String
}).annotate({ identifier: "HostVerifications" })
export type HostVerifications = typeof HostVerifications.Type

export const DirectorySignature = Schema.Struct({
  directory_url: Schema.String,
  /** `signature` and `signature_input` are `null` if the directory has no signature. */
  signature: Schema.NullOr(Schema.String),
  signature_input: Schema.NullOr(Schema.String),
  expires_at: Schema.NullOr(Schema.String)
}).annotate({ identifier: "DirectorySignature" })
export type DirectorySignature = typeof DirectorySignature.Type

export const Recovery = Schema.Struct({
  /** Standard base64; `null` if recovery is off. */
  recovery_public_key: Schema.NullOr(Schema.String),
  set_at: Schema.NullOr(Schema.String),
  delay_seconds: Schema.Number,
  pending: Schema.NullOr(
    Schema.Struct({ new_public_key: Schema.String, requested_at: Schema.String, effective_at: Schema.String })
  )
}).annotate({ identifier: "Recovery" })
export type Recovery = typeof Recovery.Type

export const RecoveryScheduled = Schema.Struct({
  id: Schema.String,
  hub_id: Schema.String,
  new_public_key: Schema.String,
  requested_at: Schema.String,
  effective_at: Schema.String
}).annotate({ identifier: "RecoveryScheduled" })
export type RecoveryScheduled = typeof RecoveryScheduled.Type

export const KeyRotated = Schema.Struct({
  id: Schema.String,
  hub_id: Schema.String,
  old_public_key: Schema.String,
  new_public_key: Schema.String,
  rotated_at: Schema.String
}).annotate({ identifier: "KeyRotated" })
export type KeyRotated = typeof KeyRotated.Type

export const VerifyChallenge = Schema.Struct({
  /** 43 characters of base64url. */
  challenge: Schema.String,
  string_to_sign: Schema.String,
  expires_at: Schema.String,
  ttl_seconds: Schema.Number
}).annotate({ identifier: "VerifyChallenge" })
export type VerifyChallenge = typeof VerifyChallenge.Type

export const Attestation = Schema.Struct({
  valid: Schema.Literal(true),
  attestation: Schema.Struct({
    /** Compact JWS, EdDSA, by the service's own key. */
    jws: Schema.String,
    payload: Schema.Struct({
      iss: Schema.String,
      sub: Schema.String,
      hx_id: Schema.String,
      handle: Schema.String,
      public_key: Schema.String,
      status: Schema.Literal("active"),
      /** Present only for an agent that has not passed registration's questions. */
      provisional: Schema.optionalKey(Schema.Literal(true)),
      trust: Schema.Number,
      reputation: Schema.Number,
      challenge: Schema.String,
      iat: Schema.Int,
      exp: Schema.Int
    }),
    server_public_key: Schema.String
  })
}).annotate({ identifier: "Attestation" })
export type Attestation = typeof Attestation.Type
