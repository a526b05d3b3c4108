/**
 * Verification of a signed request (spec 5.1).
 *
 * Invariants
 *  - The signature covers the request as it came: the method, the path and query byte for byte, the raw body.
 *  - The host line is one of the configured names, never what the request's own `Host` says.
 *  - Version 1 has no host line and is valid only until its date. After that date it is a bad signature with a hint.
 *  - A refusal says what the service expected. The edge looks for the reason of the difference only if it refuses
 *    (diagnose.ts).
 *  - Nothing is remembered here. The key's own actor checks that the nonce is new.
 */
import { type Refusal, refusal } from "../../schemas/errors.ts"
import { type RequestToSign, requestStringV1, requestStringV2 } from "../../schemas/signing/request.ts"
import { diagnose } from "./diagnose.ts"
import type { SignatureHeaders } from "./headers.ts"
import { type VerifyKeys } from "./keys.ts"
import { signatureHolds } from "../../schemas/signing/verify.ts"
import type { SignedRequest, VerifierConfig } from "./signed.ts"
import { Ticket } from "../http/ticket.ts"

/** The most verifications for the explanation of one refusal, at about 0.1 ms each. */
const TRIES_MAX = 48
const DIAGNOSES_PER_SECOND_MAX = 30

export type Verdict = { readonly ok: true; readonly ticket: Ticket } | { readonly ok: false; readonly refusal: Refusal }

export class Verifier {
  private readonly keys: VerifyKeys
  private readonly config: VerifierConfig
  private diagnosing = { second: 0, count: 0 }

  constructor(keys: VerifyKeys, config: VerifierConfig) {
    this.keys = keys
    this.config = config
  }

  verify(request: SignedRequest, headers: SignatureHeaders, now: number): Verdict {
    const { key, hubId } = this.keys.of(headers.publicKey, headers.key)
    const { signature } = headers
    const signed: Omit<RequestToSign, "host"> = {
      method: request.method,
      path: request.target,
      timestamp: headers.timestamp,
      nonce: headers.nonce,
      bodySha256: request.bodySha256
    }
    if (signature !== null) {
      for (const host of this.config.hosts) {
        const text = requestStringV2({ ...signed, host })
        if (signatureHolds(key, text, signature)) return this.pass(hubId, headers, text, signature)
      }
      if (now < this.config.v1Until) {
        const text = requestStringV1(signed)
        if (signatureHolds(key, text, signature)) return this.pass(hubId, headers, text, signature)
      }
    }
    const hint =
      signature === null
        ? "X-Hub-Signature must be base64 of the 64 bytes of an Ed25519 signature."
        : diagnose({ key, signature, signed, request, config: this.config }, this.mayDiagnose(now) ? TRIES_MAX : 0)
    return { ok: false, refusal: this.badSignature(signed, hint) }
  }

  private pass(hubId: string, headers: SignatureHeaders, text: string, signature: Uint8Array): Verdict {
    return {
      ok: true,
      ticket: new Ticket(hubId, headers, { string_to_sign: text, signature })
    }
  }

  /** Limits the rate, because finding the reason of a failure costs up to `TRIES_MAX` verifications. */
  private mayDiagnose(now: number): boolean {
    const second = Math.floor(now / 1000)
    if (second !== this.diagnosing.second) this.diagnosing = { second, count: 0 }
    return ++this.diagnosing.count <= DIAGNOSES_PER_SECOND_MAX
  }

  private badSignature(signed: Omit<RequestToSign, "host">, hint: string): Refusal {
    const [host = ""] = this.config.hosts
    return refusal("auth_bad_signature", "The signature does not verify for this request.", {
      expected_path: signed.path,
      expected_host: host,
      ...(this.config.hosts.length > 1 ? { accepted_hosts: this.config.hosts } : {}),
      expected_body_sha256: signed.bodySha256,
      expected_string_to_sign: requestStringV2({ ...signed, host }),
      hint
    })
  }
}
