import type { Answering } from "../queries/serve.ts"
import { serviceKind } from "./actor.ts"
import { overviewQuery } from "./overview.ts"
import { marksQuery, statsQuery, watermarkQuery } from "./queries.ts"

export const kinds = [serviceKind]

export const queries = ({ clock, db }: Answering) => ({
  stats: statsQuery(clock, db),
  overview: overviewQuery(clock, db),
  marks: marksQuery(db),
  watermark: watermarkQuery(db),
  alive: () => Promise.resolve(null)
})
