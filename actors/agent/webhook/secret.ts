/** The secret that signs an agent's deliveries. It is kept only in sealed form, except while a signature is made. */
import { randomBytes } from "node:crypto"

const SECRET_BYTES = 32
const PREFIX = "whsec_"

export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`

/** The bytes that sign (Standard Webhooks 1.0). */
export const webhookKey = (secret: string): Uint8Array => Buffer.from(secret.slice(PREFIX.length), "base64")

/** The purpose that the sealed secret is bound to, see log/seal.ts. */
export const secretPurpose = (hubId: string): string => `webhook secret of ${hubId}`
