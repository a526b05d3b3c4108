/**
 * A verified signature whose nonce must still be checked. The actor of the key checks it with the first ask of the
 * request, so that no separate message is needed. If a request ends without an ask, the pipeline has the nonce checked
 * before the answer is sent (edge/pipeline/pipeline.ts). Later asks of the same request tell the actor not to check the
 * nonce again.
 */
import type { SignedBy } from "../../schemas/bus/frames.ts"

interface Signing {
  readonly publicKey: string
  readonly nonce: string
  /** Unix seconds. */
  readonly timestamp: string
}

export class Ticket {
  readonly hubId: string
  readonly publicKey: string
  /** The signed string and the signature. Some requests serve as a proof, which contains them. */
  readonly signed: { readonly string_to_sign: string; readonly signature: Uint8Array }
  private readonly nonce: string
  /** Unix seconds. */
  private readonly at: number
  private used = false
  /** The id of the actor of this key's agent. It is the key's own hub id until an actor reports another one. */
  home: string

  constructor(hubId: string, { publicKey, nonce, timestamp }: Signing, signed: Ticket["signed"]) {
    this.signed = signed
    this.hubId = hubId
    this.publicKey = publicKey
    this.nonce = nonce
    this.at = Number(timestamp)
    this.home = hubId
  }

  get spent(): boolean {
    return this.used
  }

  /** The signer for the next ask. Only the first one asks the actor to check the nonce. */
  spend(): SignedBy {
    const by = { key: this.hubId, publicKey: this.publicKey, nonce: this.nonce, at: this.at }
    if (this.used) return { ...by, settled: true }
    this.used = true
    return by
  }
}
