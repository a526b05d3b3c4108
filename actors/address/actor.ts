/**
 * The claim on an e-mail address. Its id is the keyed hash of the address, so that subjects and keys do not contain the
 * address itself.
 */
import { Effect, Schema } from "effect"
import { addressOperations, FormerAccount } from "../../schemas/human/operations.ts"
import { Sealed } from "../../schemas/secret/sealed.ts"
import { custom } from "../engine/definition.ts"
import { event } from "../engine/events.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"

const Former = Schema.optionalKey(FormerAccount)
/** The sealed remains of a deleted account (actors/human/left-behind.ts). */
const Left = Schema.optionalKey(Sealed)

export const AddressClaim = Schema.Struct({ human: Schema.NullOr(Schema.String), former: Former, left: Left })
export type AddressClaim = typeof AddressClaim.Type

export const AddressEvent = Schema.Union([
  event("address.claimed", 1, { human: Schema.String }),
  event("address.released", 1, { former: Former, left: Left })
])
export type AddressEvent = typeof AddressEvent.Type

const FREE: AddressClaim = { human: null }

export const evolveAddress = (_state: AddressClaim, event: AddressEvent): AddressClaim => {
  if (event.type === "address.claimed") return { human: event.human }
  const { former, left } = event
  return { ...FREE, ...(former === undefined ? {} : { former }), ...(left === undefined ? {} : { left }) }
}

const fold: Fold<ActorOf<AddressClaim, AddressEvent>> = {
  kind: "address",
  state: AddressClaim,
  initial: FREE,
  events: AddressEvent,
  evolve: evolveAddress
}

export const addressKind = kind(fold, addressOperations, () => ({
  operations: { "address.look": custom((claim, _input, { seq }) => Effect.succeed({ ...claim, seq })) }
}))
