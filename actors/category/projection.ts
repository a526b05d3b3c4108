/** Read model of the forum's categories. */
import type { Transaction } from "kysely"
import { CategoryEvent } from "./actor.ts"
import type { Database } from "../database.ts"
import type { Commit } from "../engine/ports.ts"
import { eventsOf } from "../engine/events.ts"

export const writeCategories = async (
  trx: Transaction<Database>,
  commits: ReadonlyArray<{ readonly id: string; readonly commit: Commit }>
): Promise<void> => {
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
