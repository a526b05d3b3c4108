/**
 * Operations on identities: queries of websites, and agents' operations on their keys (spec 4.4, 4.5, 4.7; contract 5).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import {
  describe,
  failures,
  page,
  parameter,
  signedFailures,
  signedWriteFailures,
  success,
  PagingQuery
} from "../envelope.ts"
import { DIRECTORY_TAG, KEY_DIRECTORY_TYPE } from "./directory.ts"
import {
  Attestation,
  Directory,
  DirectorySignature,
  HostVerifications,
  IdentityRecord,
  Jwk,
  KeyRotated,
  Recovery,
  RecoveryScheduled,
  Verdict,
  VerifyChallenge
} from "./records.ts"
import { Chapter, OPEN_TO_SUSPENDED, OWN_BUCKET, Row, Traits } from "../traits.ts"

/** The request target in a report must have no scheme. A target with one is an address that a website has composed. */
const WithoutScheme = Schema.String.check(
  Schema.makeFilter(
    (text: string) => !SCHEME.test(text) || "must be what the request itself held, without a scheme: no whole address"
  )
)
const SCHEME = /^https?:\/\//i

/**
 * Hosts, paths and headers come from strangers. Values that cannot be verified lead to a verdict, not to an error (spec
 * 4.7). A scheme in `host` or `path` is refused.
 */
export const VerifyRequest = Schema.Struct({
  method: Schema.String,
  host: WithoutScheme,
  path: WithoutScheme,
  headers: Schema.Record(Schema.String, Schema.Unknown)
})

export const RotateKey = Schema.Struct({ new_public_key: Schema.String, proof: Schema.String })
export const Recover = Schema.Struct({ agent: Schema.String, new_public_key: Schema.String, proof: Schema.String })
export const SetRecovery = Schema.Struct({ recovery_public_key: Schema.String, proof: Schema.String })
export const SetDirectorySignature = Schema.Struct({ signature: Schema.String, signature_input: Schema.String })
export const Attest = Schema.Struct({ challenge: Schema.String, signature: Schema.String })

const DirectoryTag = parameter(
  Schema.String.check(Schema.isPattern(DIRECTORY_TAG, { message: "must be the ETag of an earlier answer" })),
  "The `ETag` of an earlier answer, with or without its quotes: lists only entries that changed since."
)

const number = { number: Schema.String }
const ref = { ref: Schema.String }

/** Refusals for the agent in the path, or for an optional signer. */
const STANDING = ["agent_suspended", "agent_banned", "agent_deleted"] as const
/** Key directories may be cached only briefly, since a key may be rotated. */
export const KEY_DIRECTORY: Traits = { keptSeconds: 60 }
export const KeyDirectory = Schema.Struct({ keys: Schema.Array(Jwk) }).pipe(
  HttpApiSchema.asJson({ contentType: KEY_DIRECTORY_TYPE })
)

export const IdentityApi = HttpApiGroup.make("identity")
  .annotate(Chapter, 40)
  .add(
    HttpApiEndpoint.post("verify", "/id/verify", {
      payload: VerifyRequest,
      success: success(Verdict),
      error: failures("validation_error", "request_too_large")
    })
      .annotateMerge(
        describe(
          "none",
          "Judge the identity headers of a request that your website received",
          "Always 200, whatever the verdict. Takes the four `Hub-*` headers, or the Web Bot Auth headers `Signature`, " +
            "`Signature-Input` and `Signature-Agent`."
        )
      )
      .annotate(Row, "for websites: the verdict on a visitor's headers")
      .annotate(Traits, OWN_BUCKET),
    HttpApiEndpoint.get("directory", "/id/directory", {
      query: { since: DirectoryTag },
      success: success(Directory),
      error: failures("validation_error")
    })
      .annotateMerge(
        describe(
          "none",
          "Every identity and its keys, for verifying offline",
          "Carries an `ETag`; `If-None-Match` answers 304. With `since`, the `ETag` of an earlier answer, you get the entries " +
            "that changed since. If `more` is true, ask again with the `ETag` of this answer. An answer " +
            "without `since` is the whole directory: too much has changed, or the service does not know the `ETag`. " +
            "Answers are compressed for who takes gzip."
        )
      )
      .annotate(Row, "every identity with its keys; `ETag`, `If-None-Match`; `?since=` an earlier `ETag`: what changed")
      .annotate(Traits, { ...OWN_BUCKET, tagged: true }),
    HttpApiEndpoint.get("getIdentity", "/id/:number", {
      params: number,
      success: success(IdentityRecord),
      error: failures("not_found")
    })
      .annotateMerge(describe("none", "The identity record of an agent number"))
      .annotate(Row, "identity record of `HX-000123`, with its chain of keys"),
    HttpApiEndpoint.get("keyDirectory", "/id/:number/http-message-signatures-directory", {
      params: number,
      success: KeyDirectory,
      error: failures("not_found")
    })
      .annotateMerge(describe("none", "The agent's current key as a key directory for HTTP message signatures"))
      .annotate(Row, "current key for HTTP message signatures")
      .annotate(Traits, KEY_DIRECTORY),
    HttpApiEndpoint.get("listMyVerifications", "/me/id/verifications", {
      query: PagingQuery,
      success: page(HostVerifications),
      error: signedFailures()
    })
      .annotateMerge(describe("signed", "Websites that had your number verified by the service, the latest first"))
      .annotate(Row, "websites that had you verified here: `{host, count, first_at, last_at}`; paginated"),
    HttpApiEndpoint.get("getDirectorySignature", "/me/id/directory-signature", {
      success: success(DirectorySignature),
      error: signedFailures()
    })
      .annotateMerge(describe("signed", "The signature served with your key directory"))
      .annotate(Row, "the signature served with your key directory, see `/docs/hub-id`"),
    HttpApiEndpoint.put("setDirectorySignature", "/me/id/directory-signature", {
      payload: SetDirectorySignature,
      success: success(DirectorySignature),
      error: signedWriteFailures()
    })
      .annotateMerge(
        describe("signed", "Hand in a signature over your key directory, to be served with it byte for byte")
      )
      .annotate(Row, '`{"signature", "signature_input"}`'),
    HttpApiEndpoint.delete("deleteDirectorySignature", "/me/id/directory-signature", {
      success: success(DirectorySignature),
      error: signedWriteFailures()
    })
      .annotateMerge(describe("signed", "Serve your key directory without a signature"))
      .annotate(Row, "serves it without one again"),
    // Keys may be changed while suspended (spec 3.1). The decision itself counts successful rotations.
    HttpApiEndpoint.post("rotateKey", "/me/key", {
      payload: RotateKey,
      success: success(KeyRotated),
      error: signedWriteFailures("rotation_proof_invalid", "key_unavailable")
    })
      .annotateMerge(
        describe(
          "signed",
          "Replace your signing key",
          "`proof` is the new key's signature of HUB-ROTATE-V1. The old key is refused from the answer on."
        )
      )
      .annotate(Row, "rotation, see [Keys](#keys)")
      .annotate(Traits, { ...OPEN_TO_SUSPENDED, draw: [], signer: "retiring" }),
    HttpApiEndpoint.get("getRecovery", "/me/recovery", {
      success: success(Recovery),
      error: signedFailures()
    })
      .annotateMerge(describe("signed", "Your recovery key, and a recovery under way"))
      .annotate(Row, "your recovery key, and a recovery under way"),
    HttpApiEndpoint.put("setRecovery", "/me/recovery", {
      payload: SetRecovery,
      success: success(Recovery),
      error: signedWriteFailures("recovery_proof_invalid", "key_unavailable")
    })
      .annotateMerge(
        describe(
          "signed",
          "Set the key that may recover your account",
          "Off until set. A recovery under way by another key is cancelled."
        )
      )
      .annotate(Row, '`{"recovery_public_key", "proof"}`')
      .annotate(Traits, OPEN_TO_SUSPENDED),
    HttpApiEndpoint.delete("deleteRecovery", "/me/recovery", {
      success: success(Recovery),
      error: signedWriteFailures()
    })
      .annotateMerge(describe("signed", "Switch recovery off", "A recovery under way is cancelled."))
      .annotate(Row, "off; cancels one under way")
      .annotate(Traits, OPEN_TO_SUSPENDED),
    HttpApiEndpoint.post("cancelRecovery", "/me/recovery/cancel", {
      success: success(Recovery),
      error: signedWriteFailures("recovery_not_pending")
    })
      .annotateMerge(describe("signed", "Cancel the recovery under way"))
      .annotate(Row, "cancels it")
      .annotate(Traits, OPEN_TO_SUSPENDED),
    HttpApiEndpoint.post("recover", "/recover", {
      payload: Recover,
      success: success(RecoveryScheduled).pipe(HttpApiSchema.status(202)),
      error: signedWriteFailures("rotation_proof_invalid", "key_unavailable", "recovery_refused", "recovery_pending")
    })
      .annotateMerge(
        describe(
          "signed",
          "Recover an account whose key is lost",
          "Signed by the recovery key. The rotation happens after a delay in which the current key can cancel it."
        )
      )
      .annotate(Row, "by the recovery key; 202")
      .annotate(Traits, { ...OWN_BUCKET, ...OPEN_TO_SUSPENDED, signer: "recovery" }),
    HttpApiEndpoint.get("createVerifyChallenge", "/agents/:ref/verify", {
      params: ref,
      success: success(VerifyChallenge),
      error: failures("not_found", ...STANDING)
    })
      .annotateMerge(describe("none", "A challenge for an agent to sign"))
      .annotate(Row, "a challenge for that agent"),
    HttpApiEndpoint.post("attest", "/agents/:ref/verify", {
      params: ref,
      payload: Attest,
      success: success(Attestation),
      error: failures(
        "not_found",
        ...STANDING,
        "validation_error",
        "request_too_large",
        "verify_challenge_unknown",
        "verify_challenge_used",
        "verify_challenge_expired",
        "verify_bad_signature"
      )
    })
      .annotateMerge(describe("none", "Trade the signed challenge for an attestation by the service"))
      .annotate(Row, '`{"challenge", "signature"}`; an attestation by the service')
  )
