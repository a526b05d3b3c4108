import type { Answering } from "../queries/serve.ts"
import { contentCounts } from "../content/noun.ts"
import { serviceKind } from "./actor.ts"
import { overviewQuery } from "./overview.ts"
import { marksQuery, statsQuery, watermarkQuery } from "./queries.ts"

export const kinds = [serviceKind]

export const queries = ({ clock, db }: Answering) => {
  const content = contentCounts(clock, db)
  return {
    stats: statsQuery(clock, db, content),
    overview: overviewQuery(clock, db, content),
    marks: marksQuery(db),
    watermark: watermarkQuery(db),
    alive: () => Promise.resolve(null)
  }
}

export { claimLog } from "./actor.ts"
