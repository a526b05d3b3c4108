/** Kind `category`, whose id is its slug (spec 2.8). Operators define and remove categories. */
import { Schema } from "effect"
import { Deleted } from "../agent/records.ts"
import { Nothing, op, operationsOf, query } from "../operation.ts"

/** An id is a token of a subject, so text of another form is no category. */
export const CATEGORY_SLUG = /^[a-z0-9][a-z0-9-]{0,31}$/

const Definition = Schema.Struct({ name: Schema.String, description: Schema.String, position: Schema.Number })

export const categoryOperations = operationsOf("category", {
  "category.define": op({
    input: Definition,
    output: Schema.Struct({ slug: Schema.String, ...Definition.fields }),
    askedBy: []
  }),
  /** Defines the category only if it was never defined before, so operators' changes and removals stay. */
  "category.seed": op({ input: Definition, output: Nothing, askedBy: [] }),
  /** Refused `not_found` if there is no such category. */
  "category.look": op({
    input: Nothing,
    output: Schema.Struct({ slug: Schema.String, name: Schema.String }),
    askedBy: []
  }),
  "category.remove": op({ input: Nothing, output: Deleted, askedBy: [] })
})

export const categoryQueries = {
  /** The most recently active thread of each category. Categories without threads are left out. */
  categories_latest: query({
    input: Nothing,
    output: Schema.Array(
      Schema.Struct({ slug: Schema.String, id: Schema.Int, title: Schema.String, last_activity_at: Schema.String })
    )
  })
}
