/** Mail between the service's own agents: it never leaves the service, and comes in as every other. */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import type { Verdicts } from "../../../schemas/mail/records.ts"
import { delivered, type DeliveryParts } from "../inbound/delivery.ts"
import { namedBy, type RecipientOf } from "../inbound/recipients.ts"
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
      const incoming = {
        ip: "127.0.0.1",
        helo: "localhost",
        sender: envelopeFrom,
        raw: bytes,
        to: [{ mailbox, address, to, tags }]
      }
      const judged = { ...parts, judge: () => Effect.succeed(OWN) }
      return yield* Effect.match(delivered(judged, incoming), {
        onSuccess: (): Outcome => ({ type: "sent", provider_id: null, delivered: true }),
        onFailure: ({ code }: Refusal): Outcome =>
          code === "not_found" ? NOBODY : code === "rate_limited" ? FULL : LATER
      })
    })
})
