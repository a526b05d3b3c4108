/** Handles mail to the service's own addresses: reports, unsubscriptions, and mail to the postmaster. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { orNone } from "../or-none.ts"
import { returnedTo } from "../outbound/return-path.ts"
import type { DeliveryParts } from "./delivery.ts"
import type { Postmaster } from "./postmaster.ts"
import { reportsIn } from "./reports.ts"
import type { OwnAddress, Receiving } from "./server.ts"

export type Returning = Pick<Receiving, "ownAddress" | "returned">

export const returnsBy = (
  { ask, keys }: Pick<DeliveryParts, "ask" | "keys">,
  domain: string,
  maxBytes: number,
  postmaster: Postmaster
): Returning => {
  /**
   * Resolves to whether the message was handled. Unsubscribing from a sending that the service has forgotten counts as
   * handled.
   */
  const taken = (raw: Buffer, to: OwnAddress, ip?: string): Effect.Effect<boolean, Refusal> => {
    if (to === "postmaster") return postmaster(raw, ip)
    const id = `report-${createHash("sha256").update(raw).digest("hex")}`
    if (to !== "abuse" && to.kind === "unsubscribe")
      return Effect.as(orNone(ask(`${id}-${to.sending}`, "mail_sending.unsubscribe", to.sending, null)), true)
    const found = reportsIn(keys, raw, to === "abuse" ? null : to, maxBytes)
    if (found.length === 0) {
      logNow("info", "mail", { report: "not understood", bytes: raw.length })
      return Effect.succeed(to !== "abuse")
    }
    const asked = Effect.forEach(found, ({ sending, report }, n) =>
      orNone(ask(`${id}-${sending}-${n}`, "mail_sending.report", sending, report))
    )
    return Effect.as(asked, true)
  }
  return {
    ownAddress: (text) => {
      const address = text.toLowerCase()
      if (address === `abuse@${domain}`) return "abuse"
      // The postmaster's address is valid without a domain too (RFC 5321 4.5.1).
      return address === "postmaster" || address === `postmaster@${domain}` ? "postmaster" : returnedTo(keys, text)
    },
    returned: (raw, to, ip) =>
      Effect.runPromise(
        Effect.match(
          Effect.forEach(new Map(to.map((one) => [JSON.stringify(one), one])).values(), (one) => taken(raw, one, ip)),
          {
            onSuccess: (all) => (all.includes(true) ? ("taken" as const) : ("refused" as const)),
            onFailure: () => "again" as const
          }
        )
      )
  }
}
