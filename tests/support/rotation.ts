/** Rotation and recovery as an agent asks for them (spec 4.4). */
import { sign } from "node:crypto"
import { recoveryString } from "../../schemas/signing/recovery.ts"
import { rotationString } from "../../schemas/signing/rotation.ts"
import type { AgentClient } from "./client.ts"
import type { Answer } from "./http.ts"
import { type Identity, newIdentity } from "./identity.ts"

export function proofOf(hubId: string, currentPublicKey: string, next: Identity): string {
  const text = rotationString({ hubId, currentPublicKey, newPublicKey: next.publicKey })
  return sign(null, Buffer.from(text), next.privateKey).toString("base64")
}

export const rotationBody = (hubId: string, currentPublicKey: string, next: Identity) => ({
  new_public_key: next.publicKey,
  proof: proofOf(hubId, currentPublicKey, next)
})

/** `hubId`: of the agent, which is its first key's. */
export const rotate = (
  client: AgentClient,
  hubId: string,
  next: Identity,
  more: { readonly idempotencyKey?: string } = {}
): Promise<Answer> =>
  client.call("POST", "/api/v1/me/key", { body: rotationBody(hubId, client.identity.publicKey, next), ...more })

/** What `PUT /me/recovery` wants of this key (contract 21). */
export const recoveryBody = (hubId: string, currentPublicKey: string, recovery: Identity) => ({
  recovery_public_key: recovery.publicKey,
  proof: sign(
    null,
    Buffer.from(recoveryString({ hubId, currentPublicKey, recoveryPublicKey: recovery.publicKey })),
    recovery.privateKey
  ).toString("base64")
})

/** `hubId`: of the agent, where the client's key is not its first. */
export const setRecovery = (
  client: AgentClient,
  recovery: Identity = newIdentity(),
  hubId: string = client.hubId
): Promise<Answer> =>
  client.call("PUT", "/api/v1/me/recovery", { body: recoveryBody(hubId, client.identity.publicKey, recovery) })
