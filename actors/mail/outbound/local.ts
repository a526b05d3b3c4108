/** Mail between the service's own agents. It never leaves the service, and is received like any other mail. */
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import { delivered, type DeliveryParts } from "../inbound/delivery.ts"
import { type ParsedRecipient, namedBy } from "../inbound/recipients.ts"
import type { JudgedSender } from "../inbound/verdicts.ts"
import type { InboundPorts } from "../inbound/ways.ts"
import type { Outcome, Transport } from "./transport.ts"

/** The service itself knows the sender. */
const OWN: JudgedSender["verdicts"] = { spf: "PASS", dkim: "PASS", dmarc: "PASS", spam: "NONE", virus: "NONE" }

const NOBODY: Outcome = { type: "refused", of: "address", reason: "nobody has this address" }
const LATER: Outcome = { type: "passing", reason: "the mailbox cannot be asked at the moment" }
const NO_ROOM: Outcome = { type: "passing", reason: "there is no room for mail at the moment" }
const DELIVERED: Outcome = { type: "sent", provider_id: null, delivered: true }

/** The outcomes of mail to the service's own addresses, in the form of a transport. */
const OF_OWN: Readonly<Record<"taken" | "again" | "refused", Outcome>> = {
  taken: DELIVERED,
  again: LATER,
  refused: { type: "refused", of: "message", reason: "it is not read there" }
}

const FULL: Outcome = { type: "passing", reason: "the mailbox is full" }

/** Mail to several tags of a mailbox is one message that lists the tags (spec 4.9). Ended tags are left out. */
const tagsOf = (
  { recipient }: Pick<InboundPorts, "recipient">,
  { address, tag: own }: ParsedRecipient,
  recipients: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<string>> => {
  const tags = recipients.flatMap((text) => {
    const named = namedBy(text)
    return named?.address === address && named.tag !== null ? [named.tag] : []
  })
  return Effect.filter([...new Set(tags)], (tag) =>
    tag === own ? Effect.succeed(true) : Effect.map(recipient(address, tag), ({ type }) => type === "mailbox")
  )
}

export const localTransport = (parts: DeliveryParts, ways: InboundPorts): Transport => ({
  name: "local",
  signs: false,
  // Each mailbox receives a message once, even if it is sent twice.
  repeatable: true,
  send: ({ envelopeFrom, to, message, recipients, bytes }) =>
    Effect.gen(function* () {
      const { recipient, returns, hasRoom } = ways
      const own = returns.ownAddress(to)
      if (own !== null) return OF_OWN[yield* Effect.promise(() => returns.returned(bytes, [own]))]
      if (!(yield* Effect.promise(hasRoom))) return NO_ROOM
      const named = namedBy(to)
      const found = named === null ? null : yield* recipient(named.address, named.tag)
      if (named === null || found === null || found.type === "nobody") return NOBODY
      if (found.type === "postmaster")
        return OF_OWN[yield* Effect.promise(() => returns.returned(bytes, ["postmaster"]))]
      if (found.type === "crowded") return NO_ROOM
      if (found.type !== "mailbox") return found.type === "full" ? FULL : LATER
      const { mailbox, address } = found
      const tags = yield* tagsOf(ways, named, recipients)
      const known = `sent-${message}`
      const incoming = {
        known,
        sender: envelopeFrom,
        raw: bytes,
        to: [{ mailbox, address, to, tags }],
        own: true
      } as const
      return yield* Effect.match(delivered(parts, incoming, Effect.succeed({ verdicts: OWN, author: null })), {
        onSuccess: () => DELIVERED,
        onFailure: ({ code }: Refusal): Outcome =>
          code === "not_found" ? NOBODY : code === "rate_limited" ? FULL : LATER
      })
    })
})
