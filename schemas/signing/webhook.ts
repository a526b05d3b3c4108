/** The signed content of a webhook delivery (contract 4: Standard Webhooks 1.0). Pure. */

export interface WebhookToSign {
  /** The header `webhook-id`. */
  readonly id: string
  /** The header `webhook-timestamp`: Unix seconds of the attempt. */
  readonly timestamp: string
  /** The raw body. */
  readonly body: string
}

export const webhookString = ({ id, timestamp, body }: WebhookToSign): string => `${id}.${timestamp}.${body}`
