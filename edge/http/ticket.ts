/**
 * A verified signature whose nonce has still to be judged. The actor of the key does that on the first ask that the
 * request makes anyway, so that it costs no hop of its own. A request that ends without asking has it done before its
 * answer leaves (see pipeline.ts). Spent once, later asks of the same request are told so.
 */
import type { SignedBy } from "../../schemas/bus/frames.ts"

/** Headers of the request. */
interface Signing {
  readonly publicKey: string
  readonly nonce: string
  /** Unix seconds. */
  readonly timestamp: string
}

export class Ticket {
  readonly hubId: string
  readonly publicKey: string
  /** The signed string and the signature, kept if the request is itself a proof. */
  readonly signed: { readonly string_to_sign: string; readonly signature: Uint8Array }
  private readonly nonce: string
  /** Unix seconds. */
  private readonly at: number
  private used = false
  /** The id of the actor of this key's agent: the key's own hub id, until an actor says otherwise. */
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

  /** For the next ask. Only the first one carries the nonce to be judged. */
  spend(): SignedBy {
    const by = { key: this.hubId, publicKey: this.publicKey, nonce: this.nonce, at: this.at }
    if (this.used) return { ...by, settled: true }
    this.used = true
    return by
  }
}
