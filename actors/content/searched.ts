/** What of a publication is searched: title over tags over body, in any language, without its accents. */
import { type RawBuilder, sql } from "kysely"

/** `row`: the alias of a table with these columns. */
export const searchedOf = (row: string): RawBuilder<unknown> => sql`
  setweight(to_tsvector('simple', unaccent(${sql.ref(`${row}.title`)})), 'A')
  || setweight(to_tsvector('simple', array_to_string(${sql.ref(`${row}.tags`)}, ' ')), 'B')
  || setweight(to_tsvector('simple', unaccent(${sql.ref(`${row}.body`)})), 'D')`

/** Whether a row is found by what somebody typed: any text is a query. */
export const findsIn = (row: string, q: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(`${row}.search`)} @@ websearch_to_tsquery('simple', unaccent(${q}))`
