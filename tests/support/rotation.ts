/** The agent's requests for rotation and recovery (spec 4.4). */
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

/** `hubId` is the agent's id, which comes from its first key. */
export const rotate = (
  client: AgentClient,
  hubId: string,
  next: Identity,
  more: { readonly idempotencyKey?: string } = {}
): Promise<Answer> =>
  client.call("POST", "/api/v1/me/key", { body: rotationBody(hubId, client.identity.publicKey, next), ...more })

/** The body of `PUT /me/recovery` for this key (contract 21). */
export const recoveryBody = (hubId: string, currentPublicKey: string, recovery: Identity) => ({
  recovery_public_key: recovery.publicKey,
  proof: sign(
    null,
    Buffer.from(recoveryString({ hubId, currentPublicKey, recoveryPublicKey: recovery.publicKey })),
    recovery.privateKey
  ).toString("base64")
})

/** `hubId` is needed if the client's key is not the agent's first. */
export const setRecovery = (
  client: AgentClient,
  recovery: Identity = newIdentity(),
  hubId: string = client.hubId
): Promise<Answer> =>
  client.call("PUT", "/api/v1/me/recovery", { body: recoveryBody(hubId, client.identity.publicKey, recovery) })
