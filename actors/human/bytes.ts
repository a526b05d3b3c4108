/**
 * Meters the bytes that a person adds to the log in a day (contract 19, "Sizes"), as for agents
 * (actors/limit/log-bytes.ts). People's commands are not signed, so the metered operations are listed here.
 */
import { Effect } from "effect"
import type { humanOperations as declared } from "../../schemas/human/operations.ts"
import { type Meter, once } from "../engine/definition.ts"
import type { Doing } from "../kit/kind.ts"
import type { DayBytes } from "../limit/noun.ts"
import type { HumanActor } from "./state.ts"

/**
 * The metered operations. Beyond the limit a person may still log in and out, keep strangers out, and end the account.
 */
export const METERED: ReadonlySet<string> = new Set([
  "human.rename",
  "human.declare",
  "human.choose_relay",
  "human.offer_chat",
  "human.subscribe_push",
  "human.offer_two_step",
  "human.renew_recovery_codes",
  "human.offer_passkey",
  "human.add_passkey"
])

interface BytesOperations {
  readonly "human.spend_bytes": Doing<HumanActor, (typeof declared)["human.spend_bytes"]>
}

export const bytesOperations = (meter: Meter<{ readonly logBytes: DayBytes }>): BytesOperations => ({
  "human.spend_bytes": once((_state, { bytes }, { id, memory }) =>
    Effect.map(meter.admit(bytes, { id, memory }), () => {
      meter.spent(bytes, { id, memory })
      return null
    })
  )
})
