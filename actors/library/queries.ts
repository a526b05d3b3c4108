/** Reads of the library (spec 4.2). */
import type { Kysely } from "kysely"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { LibraryKind } from "../../schemas/library/fields.ts"
import type { LibraryListed } from "../../schemas/library/records.ts"
import type { Database } from "../tables/database.ts"
import { COUNTED, pageOf } from "../tables/page.ts"

const LISTED = ["id", "slug", "title", "kind", "language", "summary", "updated_at"] as const

/** Columns whose types are wider than the values that the projection writes. */
interface NarrowColumns {
  readonly kind: LibraryKind
}

type Row = Omit<LibraryListed, "updated_at" | "url"> & { readonly updated_at: Date }

const entryRecord = <Shown extends Row>({ updated_at, ...row }: Shown, baseUrl: string) => ({
  ...row,
  updated_at: updated_at.toISOString(),
  url: `${baseUrl}/library/${row.slug}`
})

export const libraryQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async (input: Queries["library"]["input"]): Promise<Queries["library"]["output"]> => {
    const found = db.selectFrom("library_entries")
    const { total, rows } = await pageOf(
      found.select(COUNTED),
      found.select(LISTED).orderBy("id").$narrowType<NarrowColumns>(),
      input
    )
    return { total, items: rows.map((row) => entryRecord(row, baseUrl)) }
  }

export const libraryEntryQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ slug }: Queries["library_entry"]["input"]): Promise<Queries["library_entry"]["output"]> => {
    const row = await db
      .selectFrom("library_entries")
      .select([...LISTED, "body"])
      .where("slug", "=", slug)
      .$narrowType<NarrowColumns>()
      .executeTakeFirst()
    return row === undefined ? null : entryRecord(row, baseUrl)
  }
