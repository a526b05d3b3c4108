/**
 * Handles the signature of a request in the pipeline (pipeline.ts): it is read from the headers and verified against
 * the request. The request then draws from the key's bucket, and the nonce is recorded.
 *
 * Invariants
 *  - An invalid signature counts for its client alone (edge/auth/unverified.ts). A valid one draws from its key's
 *    bucket.
 *  - The nonce of a valid signature is recorded in any case, even if that bucket refuses the request.
 */
import { Effect } from "effect"
import { type ReadHeaders, readSignatureHeaders, type SignatureHeaders } from "../auth/headers.ts"
import type { Unverified } from "../auth/unverified.ts"
import type { Verifier } from "../auth/verify.ts"
import type { Bus, SettlingOp } from "../bus/bus.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { Call } from "../http/call.ts"
import { type Drawn, type EdgeLimits, passed, type DrawResult } from "../http/limits.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { refused, type Response } from "../http/respond.ts"
import { discard } from "../http/send.ts"

export interface SignatureParts {
  readonly limits: Limits
  readonly buckets: EdgeLimits
  readonly verifier: Verifier
  readonly unverified: Unverified
  readonly bus: Bus
}

export class Signatures {
  private readonly parts: SignatureParts

  constructor(parts: SignatureParts) {
    this.parts = parts
  }

  read({ request, startedAt }: Call): ReadHeaders {
    const { timestamp_skew_seconds } = this.parts.limits.authentication
    return readSignatureHeaders(request.headers, Math.floor(startedAt / 1000), timestamp_skew_seconds)
  }

  /** Draws and checks before the body is read. */
  drawnBefore(call: Call, read: ReadHeaders): Drawn {
    const { buckets, unverified } = this.parts
    if (read.kind === "signed") return unverified.refusal(call.client, read.headers.publicKey, call.startedAt)
    const drawsAnon = read.kind === "refused" || call.endpoint === null || call.endpoint.drawsAnon
    return drawsAnon ? buckets.takeOf("anon", call) : null
  }

  /** Gives the call its ticket, and returns the result of the key's bucket. */
  *admit(call: Call, headers: SignatureHeaders): Effect.fn.Return<DrawResult, Refused> {
    const { buckets, unverified } = this.parts
    const { publicKey } = headers
    const failed = this.verify(call, headers)
    if (failed !== null) {
      if (failed.drawn !== null) yield* passed(failed.drawn)
      return yield* refuse(failed.refusal)
    }
    const spent = buckets.take("key", publicKey)
    const refusal = spent instanceof Promise ? yield* Effect.promise(() => spent) : spent
    if (refusal === null) call.onReplay = () => unverified.replayed(call.client, publicKey, call.startedAt)
    return refusal
  }

  /** Gives the call its ticket. `null` if the signature is valid. */
  private verify(call: Call, headers: SignatureHeaders): { readonly refusal: Refusal; readonly drawn: Drawn } | null {
    const { verifier, unverified } = this.parts
    const { method, target, body, bodySha256 } = call
    const signed = { method, target, body, bodySha256, hostHeader: call.header("host") }
    const verdict = verifier.verify(signed, headers, call.startedAt)
    if (!verdict.ok)
      return { refusal: verdict.refusal, drawn: unverified.failed(call.client, headers.publicKey, call.startedAt) }
    call.ticket = verdict.ticket
    return null
  }

  /** Has the nonce recorded. Uses the operation of the endpoint if none is given. A refusal becomes the answer. */
  settle(call: Call, answer: Response, op?: SettlingOp): Effect.Effect<Response> {
    return Effect.matchEffect(this.parts.bus.settle(call, op), {
      onSuccess: () => Effect.succeed(answer),
      onFailure: (failed) => {
        discard(answer)
        return Effect.succeed(refused(call, failed.refusal))
      }
    })
  }
}
