/** Sends letters by the same transport as agents' mail to the outside. */
import { Effect } from "effect"
import type { Transport as MailTransport } from "../mail/noun.ts"
import type { Transport } from "../kit/mailing/transport.ts"

export const mailTransport = (world: MailTransport): Transport => ({
  // Only attempts of the transport `file` may be repeated, because a file that is written again replaces itself.
  name: world.name === "file" ? "file" : "smtp",
  send: ({ id, from, to, messageId, bytes }, hurry) =>
    Effect.map(
      world.send(
        { id, from, envelopeFrom: from, to, message: messageId, recipients: [to], bytes: Buffer.from(bytes) },
        hurry
      ),
      (outcome) => {
        if (outcome.type === "sent") return { type: "sent", message_id: messageId }
        return outcome.type === "refused" ? { type: "final", reason: outcome.reason } : outcome
      }
    )
})
