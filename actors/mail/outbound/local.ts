/** Mail between the service's own agents: it never leaves the service, and comes in as every other. */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import type { Verdicts } from "../../../schemas/mail/records.ts"
import { delivered, type DeliveryParts } from "../inbound/delivery.ts"
import type { RecipientOf } from "../inbound/recipient.ts"
import { namedBy } from "../inbound/recipients.ts"
import type { Outcome, Transport } from "./transport.ts"

/** The service itself has seen who sends. */
const OWN: Verdicts = { spf: "PASS", dkim: "PASS", dmarc: "PASS", spam: "NONE", virus: "NONE" }

const NOBODY: Outcome = { type: "refused", of: "address", reason: "nobody has this address" }
const LATER: Outcome = { type: "passing", reason: "the mailbox cannot be asked at the moment" }
const FULL: Outcome = { type: "passing", reason: "the mailbox is full" }

export const localTransport = (parts: DeliveryParts, recipient: RecipientOf): Transport => ({
  name: "local",
  signs: false,
  // The same bytes from the same sender are received once.
  repeatable: true,
  send: ({ envelopeFrom, to, bytes }) =>
    Effect.gen(function* () {
      const named = namedBy(to)
      const found = named === null ? null : yield* recipient(named.address, named.tag)
      if (named === null || found === null || found.type === "nobody") return NOBODY
      if (found.type !== "mailbox") return found.type === "full" ? FULL : LATER
      const { mailbox, address } = found
      const tags = named.tag === null ? [] : [named.tag]
      const incoming = { sender: envelopeFrom, raw: bytes, to: [{ mailbox, address, to, tags }] }
      return yield* Effect.match(delivered(parts, incoming, Effect.succeed(OWN)), {
        onSuccess: (): Outcome => ({ type: "sent", provider_id: null, delivered: true }),
        onFailure: ({ code }: Refusal): Outcome =>
          code === "not_found" ? NOBODY : code === "rate_limited" ? FULL : LATER
      })
    })
})
