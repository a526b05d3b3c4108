/** An agent's own votes (spec 4.4). */
import { type Kysely, sql } from "kysely"
import type { Clock } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Vote } from "../../schemas/vote/records.ts"
import { inOrder, type Listing, Listings, isTargetKept, isTargetVisible } from "../content/noun.ts"
import type { Database } from "../tables/database.ts"

type Input = Queries["votes"]["input"]

/** Votes on deleted and hidden targets are left out (contract 19). */
const listing = ({ voter, target_type, target_id }: Input): Listing => {
  const where = [sql<boolean>`v.voter = ${voter}`, sql<boolean>`v.value <> 0`, isTargetVisible("v")]
  if (target_type !== null) where.push(sql`v.target_type = ${target_type}`)
  if (target_id !== null) where.push(sql`v.target_id = ${target_id}`)
  return {
    name: JSON.stringify(["votes", voter, target_type, target_id]),
    from: sql`votes v`,
    where,
    way: "desc",
    keys: [
      { by: sql.ref("v.created_at"), type: "timestamptz" },
      { by: sql.ref("v.id"), type: "text" }
    ]
  }
}

type Row = Omit<Vote, "target_id" | "created_at" | "counts"> & {
  readonly id: string
  readonly target_id: string
  readonly created_at: Date
}

const recordOf = ({ target_type, target_id, value, created_at, why }: Row): Vote => ({
  target_type,
  target_id: Number(target_id),
  value,
  created_at: created_at.toISOString(),
  counts: why === null,
  why
})

const ROW = ["v.id", "v.target_type", "v.target_id", "v.value", "v.created_at", "v.why"] as const

export const votesQuery = (
  clock: Clock.Clock,
  db: Kysely<Database>
): ((input: Input) => Promise<Queries["votes"]["output"]>) => {
  const listings = new Listings(clock)
  return async (input) => {
    const { total, ids } = await listings.page(db, listing(input), input)
    if (ids.length === 0) return { total, items: [] }
    const rows = await db
      .selectFrom("votes as v")
      .where("v.id", "in", [...ids])
      .select(ROW)
      .$castTo<Row>()
      .execute()
    return { total, items: inOrder(ids, rows, ({ id }) => id).map(recordOf) }
  }
}

export const votesToWithdrawQuery =
  (db: Kysely<Database>) =>
  async ({ voter, limit }: Queries["votes_to_withdraw"]["input"]): Promise<Queries["votes_to_withdraw"]["output"]> => {
    const rows = await db
      .selectFrom("votes as v")
      .where("v.voter", "=", voter)
      .where(sql<boolean>`v.value <> 0`)
      .where(isTargetKept("v"))
      .select(ROW)
      .orderBy("v.created_at")
      .orderBy("v.id")
      .limit(limit)
      .$castTo<Row>()
      .execute()
    return rows.map(recordOf)
  }
