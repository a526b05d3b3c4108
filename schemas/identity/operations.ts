/** Keys and identity of an agent (spec 2.4, 4.4, 4.7). */
import { Schema } from "effect"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { FiredTimer } from "../timer.ts"
import {
  Attestation,
  DirectoryEntry,
  DirectorySignature,
  HostVerifications,
  IdentityRecord,
  Jwk,
  KeyRotated,
  Recovery,
  RecoveryScheduled,
  Verdict,
  VERIFY_SCHEMES,
  VerifyChallenge
} from "./records.ts"

/** A request as its signer signed it. Keys in standard base64. */
export const SignedRequest = Schema.Struct({
  public_key: Schema.String,
  string_to_sign: Schema.String,
  signature: Schema.String,
  body: Schema.String
})
export type SignedRequest = typeof SignedRequest.Type

export const NewKey = Schema.Struct({
  /** Standard base64 of a key that may be registered. */
  new_public_key: Schema.String,
  /** The proof as it was sent. */
  proof: Schema.String,
  request: SignedRequest
})
export type NewKey = typeof NewKey.Type

/** The key that may recover the account, and the agent's own request that named it. */
export const RecoveryKey = Schema.Struct({
  recovery_public_key: Schema.String,
  /** The recovery key's own signature (HUB-RECOVERY-V1). */
  proof: Schema.String,
  request: SignedRequest
})
export type RecoveryKey = typeof RecoveryKey.Type

/** A signature of the key directory, which the edge has verified. */
export const DirectorySigned = Schema.Struct({
  signature: Schema.String,
  signature_input: Schema.String,
  /** Unix ms. */
  expires_at: Schema.Number,
  /** The public key that verifies the signature. */
  public_key: Schema.String
})
export type DirectorySigned = typeof DirectorySigned.Type

export const IdentityProof = Schema.Struct({
  /** The timestamp as it was sent. */
  timestamp: Schema.String,
  nonce: Schema.String,
  /** Base64 of either alphabet, as sent. */
  signature: Schema.String,
  /** The string that must be signed; `null` if it cannot be built from the request. */
  string_to_sign: Schema.NullOr(Schema.String),
  /** For Web Bot Auth: only a key with this thumbprint is valid, and only before this time (Unix seconds). */
  keyid: Schema.optionalKey(Schema.String),
  expires: Schema.optionalKey(Schema.Number),
  /** The website's host line, for its counter. */
  host: Schema.String
})
export type IdentityProof = typeof IdentityProof.Type

/**
 * The claim in the headers that a website reports, as the edge has read it. `proof` is `null` for a number without a
 * proof.
 */
export const IdentityClaim = Schema.Struct({
  scheme: Schema.Literals(VERIFY_SCHEMES),
  proof: Schema.NullOr(IdentityProof)
})
export type IdentityClaim = typeof IdentityClaim.Type

export const identityOperations = operationsOf("agent", {
  /** Answers for agents of every status. */
  "identity.record": op({ input: Nothing, output: IdentityRecord, askedBy: ["edge"] }),
  "identity.keys": op({
    input: Nothing,
    output: Schema.Struct({
      keys: Schema.Array(Jwk),
      signature: Schema.NullOr(Schema.Struct({ signature: Schema.String, signature_input: Schema.String }))
    }),
    askedBy: ["edge"]
  }),
  /** `null` if no agent has the number. */
  "identity.verify": op({ input: IdentityClaim, output: Schema.NullOr(Verdict), askedBy: ["edge"] }),
  "identity.hosts": op({
    input: Schema.Struct({ page: Schema.Int, per_page: Schema.Int }),
    output: paged(HostVerifications),
    askedBy: ["edge"]
  }),
  "identity.rotate": op({ input: NewKey, output: KeyRotated, askedBy: ["edge"] }),
  "identity.recovery": op({ input: Nothing, output: Recovery, askedBy: ["edge"] }),
  "identity.set_recovery": op({
    input: RecoveryKey,
    output: Recovery,
    askedBy: ["edge"]
  }),
  "identity.unset_recovery": op({ input: Nothing, output: Recovery, askedBy: ["edge"] }),
  "identity.cancel_recovery": op({ input: Nothing, output: Recovery, askedBy: ["edge"] }),
  /** Asked without `by`, because the signing key is in `request`. */
  "identity.recover": op({ input: NewKey, output: RecoveryScheduled, askedBy: ["edge"] }),
  "identity.directory_signature": op({ input: Nothing, output: DirectorySignature, askedBy: ["edge"] }),
  "identity.sign_directory": op({ input: DirectorySigned, output: DirectorySignature, askedBy: ["edge"] }),
  "identity.unsign_directory": op({ input: Nothing, output: DirectorySignature, askedBy: ["edge"] }),
  "identity.challenge": op({ input: Nothing, output: VerifyChallenge, askedBy: ["edge"] }),
  "identity.attest": op({
    input: Schema.Struct({ challenge: Schema.String, signature: Schema.String }),
    output: Attestation,
    askedBy: ["edge"]
  }),
  /** Erases the list of websites where a deleted agent's identity was verified, because it is private. */
  "identity.forget_hosts": op({ input: Nothing, output: Nothing, askedBy: [] }),
  "identity.timer": op({ input: FiredTimer, output: Nothing, askedBy: [] })
})

export const DirectoryState = Schema.Struct({
  /** The sequence of the last commit that changed the directory. */
  version: Schema.Int,
  max_number: Schema.Int,
  count: Schema.Int,
  /** For each block of numbers, the sequence that last changed it, in order. Empty if blocks were not requested. */
  blocks: Schema.Array(Schema.Tuple([Schema.Int, Schema.Int]))
})
export type DirectoryState = typeof DirectoryState.Type

/**
 * Entries that changed after a version, the earliest change first. `null` if there are too many, or the version is not
 * known.
 */
const DirectoryChanges = Schema.Struct({
  ...DirectoryState.fields,
  changes: Schema.NullOr(
    Schema.Struct({
      /** The changes are complete up to this version. */
      reached: Schema.Int,
      agents: Schema.Record(Schema.String, DirectoryEntry)
    })
  )
})
export const identityQueries = {
  /** The directory's state, with its blocks only if they are asked for. */
  directory: query({ input: Schema.Struct({ blocks: Schema.Boolean }), output: DirectoryState }),
  directory_changes: query({ input: Schema.Struct({ since: Schema.Int }), output: DirectoryChanges }),
  /**
   * The entries of one block by agent number. The edge parses only the beginning of the answer, so the order of its
   * fields is fixed.
   */
  directory_block: query({
    input: Schema.Struct({ block: Schema.Int }),
    output: Schema.Struct({
      count: Schema.Int,
      max_number: Schema.Int,
      agents: Schema.Record(Schema.String, DirectoryEntry)
    })
  })
}
