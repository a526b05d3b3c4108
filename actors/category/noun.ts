import type { Answering } from "../queries/serve.ts"
import { categoryKind } from "./actor.ts"
import { categoryProjection } from "./projection.ts"
import { categoriesQuery, latestQuery } from "./queries.ts"

export const kinds = [categoryKind]

export const projections = [categoryProjection]

export const queries = ({ clock, db }: Answering) => ({
  categories: categoriesQuery(clock, db),
  categories_latest: latestQuery(db)
})

export { SEEDED_CATEGORIES } from "./actor.ts"
export { categoryOf } from "./asked.ts"
