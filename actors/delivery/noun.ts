import type { Answering } from "../queries/serve.ts"
import { deliveryKind } from "./actor.ts"
import { deliveriesQuery } from "./queries.ts"

export const kinds = [deliveryKind]

export const queries = ({ clock, db, config }: Answering) => ({ deliveries: deliveriesQuery(clock, db, config.limits) })

export { GONE } from "./decide.ts"
export { DELIVERY_EVENTS, DeliveryEvent, receiverOf } from "./state.ts"
