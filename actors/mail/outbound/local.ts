/** Mail between the service's own agents: it never leaves the service, and comes in as every other. */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import type { Verdicts } from "../../../schemas/mail/records.ts"
import { delivered, type DeliveryParts } from "../inbound/delivery.ts"
import { namedBy } from "../inbound/recipients.ts"
import type { Ways } from "../inbound/ways.ts"
import type { Outcome, Transport } from "./transport.ts"

/** The service itself has seen who sends. */
const OWN: Verdicts = { spf: "PASS", dkim: "PASS", dmarc: "PASS", spam: "NONE", virus: "NONE" }

const NOBODY: Outcome = { type: "refused", of: "address", reason: "nobody has this address" }
const LATER: Outcome = { type: "passing", reason: "the mailbox cannot be asked at the moment" }
const NO_ROOM: Outcome = { type: "passing", reason: "there is no room for mail at the moment" }
const DELIVERED: Outcome = { type: "sent", provider_id: null, delivered: true }

/** What the service itself hears, as the world is answered. */
const OF_OWN: Readonly<Record<"taken" | "again" | "refused", Outcome>> = {
  taken: DELIVERED,
  again: LATER,
  refused: { type: "refused", of: "message", reason: "only reports are read there" }
}

const FULL: Outcome = { type: "passing", reason: "the mailbox is full" }

export const localTransport = (parts: DeliveryParts, ways: Ways): Transport => ({
  name: "local",
  signs: false,
  // The same bytes from the same sender are received once.
  repeatable: true,
  send: ({ envelopeFrom, to, bytes }) =>
    Effect.gen(function* () {
      const { recipient, returns, hasRoom } = ways
      const own = returns.ownAddress(to)
      if (own !== null) return OF_OWN[yield* Effect.promise(() => returns.returned(bytes, [own]))]
      if (!(yield* Effect.promise(hasRoom))) return NO_ROOM
      const named = namedBy(to)
      const found = named === null ? null : yield* recipient(named.address, named.tag)
      if (named === null || found === null || found.type === "nobody") return NOBODY
      if (found.type !== "mailbox") return found.type === "full" ? FULL : LATER
      const { mailbox, address } = found
      const tags = named.tag === null ? [] : [named.tag]
      const incoming = { sender: envelopeFrom, raw: bytes, to: [{ mailbox, address, to, tags }] }
      return yield* Effect.match(delivered(parts, incoming, Effect.succeed({ verdicts: OWN, author: null })), {
        onSuccess: () => DELIVERED,
        onFailure: ({ code }: Refusal): Outcome =>
          code === "not_found" ? NOBODY : code === "rate_limited" ? FULL : LATER
      })
    })
})
