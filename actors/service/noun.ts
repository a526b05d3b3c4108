import type { Answering } from "../queries/serve.ts"
import { serviceKind } from "./actor.ts"
import { statsQuery } from "./queries.ts"

export const kinds = [serviceKind]

export const queries = ({ db }: Answering) => ({ stats: statsQuery(db), alive: () => Promise.resolve(null) })
