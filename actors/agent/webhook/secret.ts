/** The secret that an agent's deliveries are signed with; outside of a signature it is known sealed only. */
import { randomBytes } from "node:crypto"

const SECRET_BYTES = 32
const PREFIX = "whsec_"

export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`

/** The bytes that sign (Standard Webhooks 1.0). */
export const webhookKey = (secret: string): Uint8Array => Buffer.from(secret.slice(PREFIX.length), "base64")

/** The purpose that the sealed secret is bound to, see log/seal.ts. */
export const secretPurpose = (hubId: string): string => `webhook secret of ${hubId}`
