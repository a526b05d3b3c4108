import type { Answering } from "../queries/serve.ts"
import { serviceKind } from "./actor.ts"
import { marksQuery, statsQuery, watermarkQuery } from "./queries.ts"

export const kinds = [serviceKind]

export const queries = ({ db }: Answering) => ({
  stats: statsQuery(db),
  marks: marksQuery(db),
  watermark: watermarkQuery(db),
  alive: () => Promise.resolve(null)
})
