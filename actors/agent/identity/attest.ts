/** Makes attestations: signed statements of the service about an agent that has answered a challenge (contract 5). */
import { sign } from "node:crypto"
import type { Attestation } from "../../../schemas/identity/records.ts"
import { encodeBase64 } from "../../../schemas/signing/key.ts"
import { agentNumber } from "../../../schemas/signing/identity.ts"
import { jwkOf } from "../../../schemas/signing/jwk.ts"
import { type KeyPair, keyPairOfSeed } from "../../../schemas/signing/seed.ts"
import type { Agent } from "../state.ts"
import { currentKey } from "./state.ts"

export class Attester {
  private readonly pair: KeyPair
  private readonly publicKey: string
  private readonly header: string
  private readonly issuer: string
  private readonly ttlSeconds: number

  constructor(seed: Uint8Array, issuer: string, ttlSeconds: number) {
    this.pair = keyPairOfSeed(seed)
    this.publicKey = encodeBase64(this.pair.publicKey)
    this.header = part({ alg: "EdDSA", typ: "JWT", kid: jwkOf(this.publicKey).kid })
    this.issuer = issuer
    this.ttlSeconds = ttlSeconds
  }

  /** `now`: Unix ms. */
  attest(hubId: string, agent: Agent, challenge: string, now: number): Attestation {
    const iat = Math.floor(now / 1000)
    const payload = {
      iss: this.issuer,
      sub: hubId,
      hx_id: agentNumber(agent.number),
      handle: agent.handle,
      public_key: currentKey(agent),
      status: "active",
      ...(agent.provisional ? ({ provisional: true } as const) : {}),
      trust: agent.trust,
      reputation: agent.reputation,
      challenge,
      iat,
      exp: iat + this.ttlSeconds
    } as const
    const signed = `${this.header}.${part(payload)}`
    const jws = `${signed}.${sign(null, Buffer.from(signed), this.pair.privateKey).toString("base64url")}`
    return { valid: true, attestation: { jws, payload, server_public_key: this.publicKey } }
  }
}

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")
