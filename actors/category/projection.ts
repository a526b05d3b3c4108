/** Read model of the forum's categories. */
import type { Transaction } from "kysely"
import { CATEGORY_EVENTS, CategoryEvent } from "./actor.ts"
import type { Database } from "../tables/database.ts"
import { eventsOf } from "../engine/events.ts"
import { type Logged, logProjection } from "../projections/projection.ts"

const writeCategories = async (trx: Transaction<Database>, commits: ReadonlyArray<Logged>): Promise<void> => {
  for (const { id, commit } of commits) {
    for (const event of eventsOf(CategoryEvent, commit)) {
      if (event.type === "category.removed") await trx.deleteFrom("categories").where("slug", "=", id).execute()
      else {
        const { name, description, position } = event
        await trx
          .insertInto("categories")
          .values({ slug: id, name, description, position, threads: 0 })
          .onConflict((conflict) => conflict.column("slug").doUpdateSet({ name, description, position }))
          .execute()
      }
    }
  }
}

export const categoryProjection = logProjection({
  name: "category",
  version: 1,
  reads: [{ kind: "category", events: CATEGORY_EVENTS }],
  tables: [{ name: "categories", kind: "category", actor: "slug" }],
  changes: (commits) => (trx) => writeCategories(trx, commits)
})
