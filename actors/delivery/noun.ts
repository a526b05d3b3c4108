import type { Answering } from "../queries/serve.ts"
import { deliveryKind } from "./actor.ts"
import { deliveryProjection } from "./projection.ts"
import { deliveriesQuery } from "./queries.ts"

export const kinds = [deliveryKind]

export const projections = [deliveryProjection]

export const queries = ({ clock, db, config }: Answering) => ({ deliveries: deliveriesQuery(clock, db, config.limits) })
