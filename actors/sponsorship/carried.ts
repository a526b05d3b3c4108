import { type RawBuilder, sql } from "kysely"

/** Whether a person carries the agent of a row, confirmed by it. `column`: which holds the agent's hub id. */
export const isCarriedBy = (human: string, column: string): RawBuilder<boolean> =>
  sql<boolean>`exists (
    select from sponsorships s
    where s.human = ${human} and s.status = 'confirmed' and s.agent = ${sql.ref(column)}
  )`
