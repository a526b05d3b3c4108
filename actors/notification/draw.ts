/**
 * Numbers of notifications: never given twice, growing along each agent's log. A gap is no harm: one is drawn for each
 * attempt.
 */
import type { NatsConnection } from "@nats-io/transport-node"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import { nextNumber } from "../engine/counters.ts"

export const drawNotification = async (
  nats: NatsConnection
): Promise<{ readonly notification: number } | { readonly refused: Refusal }> => {
  try {
    return { notification: await nextNumber(nats, "notification") }
  } catch {
    return { refused: unavailable("The service cannot note this at the moment. It is safe to try again.") }
  }
}
