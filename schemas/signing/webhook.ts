/** The signed content of a webhook delivery (contract 4: Standard Webhooks 1.0). Pure. */

export interface WebhookToSign {
  /** Header `webhook-id`. */
  readonly id: string
  /** Header `webhook-timestamp`: unix seconds of the attempt. */
  readonly timestamp: string
  /** The raw body. */
  readonly body: string
}

export const webhookString = ({ id, timestamp, body }: WebhookToSign): string => `${id}.${timestamp}.${body}`
