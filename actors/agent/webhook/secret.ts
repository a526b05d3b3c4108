/** The secret that signs an agent's deliveries. It is stored only in sealed form. */
import { randomBytes } from "node:crypto"

const SECRET_BYTES = 32
const PREFIX = "whsec_"

export const newWebhookSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString("base64")}`

/** The key bytes in a secret, as Standard Webhooks 1.0 defines them. */
export const webhookKey = (secret: string): Uint8Array => Buffer.from(secret.slice(PREFIX.length), "base64")

export const secretPurpose = (hubId: string): string => `webhook secret of ${hubId}`
