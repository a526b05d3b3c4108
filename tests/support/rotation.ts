/** Rotation and recovery as an agent asks for them (spec 4.4). */
import { sign } from "node:crypto"
import { rotationString } from "../../schemas/signing/rotation.ts"
import type { AgentClient } from "./client.ts"
import type { Answer } from "./http.ts"
import type { Identity } from "./identity.ts"

export function proofOf(hubId: string, currentPublicKey: string, next: Identity): string {
  const text = rotationString({ hubId, currentPublicKey, newPublicKey: next.publicKey })
  return sign(null, Buffer.from(text), next.privateKey).toString("base64")
}

export const rotationBody = (hubId: string, currentPublicKey: string, next: Identity) => ({
  new_public_key: next.publicKey,
  proof: proofOf(hubId, currentPublicKey, next)
})

/** `hubId`: of the agent, which is its first key's. */
export const rotate = (client: AgentClient, hubId: string, next: Identity, more: { readonly idempotencyKey?: string } = {}): Promise<Answer> =>
  client.call("POST", "/api/v1/me/key", { body: rotationBody(hubId, client.identity.publicKey, next), ...more })
