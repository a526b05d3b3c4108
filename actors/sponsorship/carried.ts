import { type RawBuilder, sql } from "kysely"

/** True if a person is a confirmed sponsor of a row's agent. `column`: the column with the agent's hub id. */
export const isCarriedBy = (human: string, column: string): RawBuilder<boolean> =>
  sql<boolean>`exists (
    select from sponsorships s
    where s.human = ${human} and s.status = 'confirmed' and s.agent = ${sql.ref(column)}
  )`
