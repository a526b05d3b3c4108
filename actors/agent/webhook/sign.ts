/**
 * Signs a delivery (contract 4): with the agent's secret, with earlier secrets while they are valid, and with the
 * service's own key. The service's key is for receivers that do not want to store a secret.
 */
import { createHmac, sign } from "node:crypto"
import { type KeyPair, keyPairOfSeed } from "../../../schemas/signing/seed.ts"
import { type WebhookToSign, webhookString } from "../../../schemas/signing/webhook.ts"
import type { Agent } from "../state.ts"
import type { Sealer } from "../../log/seal.ts"
import { secretPurpose, webhookKey } from "./secret.ts"

const hmac = (secret: string, text: string): string =>
  `v1,${createHmac("sha256", webhookKey(secret)).update(text).digest("base64")}`

export class WebhookSigner {
  private readonly sealer: Sealer
  private readonly pair: KeyPair

  constructor(seed: Uint8Array, sealer: Sealer) {
    this.sealer = sealer
    this.pair = keyPairOfSeed(seed)
  }

  /** The value of the header `webhook-signature`. `now`: Unix ms. */
  signatures(
    hubId: string,
    agent: Pick<Agent, "webhook_secret" | "webhook">,
    delivery: WebhookToSign,
    now: number
  ): string {
    const text = webhookString(delivery)
    const old = agent.webhook.old.filter(({ until }) => now < until).map(({ webhook_secret }) => webhook_secret)
    const sealed = [agent.webhook_secret, ...old].filter((secret) => secret !== null)
    const own = `v1a,${sign(null, Buffer.from(text), this.pair.privateKey).toString("base64")}`
    return [...sealed.map((secret) => hmac(this.sealer.open(secret, secretPurpose(hubId)), text)), own].join(" ")
  }
}
