/** The list of the forum's categories (spec 4.2). */
import type { Kysely } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Database } from "../database.ts"

export const categoriesQuery = (db: Kysely<Database>) => (): Promise<Queries["categories"]["output"]> =>
  db
    .selectFrom("categories")
    .select(["slug", "name", "description", "threads"])
    .orderBy("position")
    .orderBy("slug")
    .execute()
