/** What comes back to the service's own addresses: reports, and people who want no more. */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { Refusal } from "../../../schemas/errors.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { orNone } from "../or-none.ts"
import { returnedTo } from "../outbound/return-path.ts"
import type { DeliveryParts } from "./delivery.ts"
import { reportsIn } from "./reports.ts"
import type { OwnAddress, Receiving } from "./server.ts"

export type Returning = Pick<Receiving, "ownAddress" | "returned">

export const returnsBy = (
  { ask, keys }: Pick<DeliveryParts, "ask" | "keys">,
  domain: string,
  maxBytes: number
): Returning => {
  /** Resolves to whether anything was made of it. Of a message that is forgotten there is nothing to be done. */
  const taken = (raw: Buffer, to: OwnAddress): Effect.Effect<boolean, Refusal> => {
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
    ownAddress: (address) => (address.toLowerCase() === `abuse@${domain}` ? "abuse" : returnedTo(keys, address)),
    returned: (raw, to) =>
      Effect.runPromise(
        Effect.match(
          Effect.forEach(to, (one) => taken(raw, one)),
          {
            onSuccess: (all) => (all.includes(true) ? ("taken" as const) : ("refused" as const)),
            onFailure: () => "again" as const
          }
        )
      )
  }
}
