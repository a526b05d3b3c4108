/** Sponsorships in the lists of their two parties, and in the profiles of agents (spec 2.2, 4.4, 4.8; contract 20). */
import { type Kysely, sql } from "kysely"
import type { AgentPublic } from "../../schemas/agent/records.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import {
  type AgentSponsorship,
  ownerRights,
  type SponsorRole,
  type SponsorshipStatus
} from "../../schemas/sponsorship/records.ts"
import { authorOf } from "../content/noun.ts"
import type { Database } from "../tables/database.ts"
import { COUNTED, pageOf } from "../tables/page.ts"
import type { People } from "../queries/serve.ts"

type Db = Kysely<Database>
type Sponsor = AgentPublic["sponsors"][number]

/** The most sponsorships in one list of a person. */
const OF_HUMAN_MAX = 300

const COLUMNS = ["s.id", "s.human", "s.role", "s.status", "s.created_at", "s.confirmed_at", "s.ended_at"] as const

interface NarrowColumns {
  readonly role: SponsorRole
  readonly status: SponsorshipStatus
}

interface Row extends NarrowColumns {
  readonly id: string
  readonly created_at: Date
  readonly confirmed_at: Date | null
  readonly ended_at: Date | null
}

const standing = ({ role, status, created_at, confirmed_at, ended_at }: Row) => ({
  role,
  status,
  may: ownerRights(status),
  created_at: created_at.toISOString(),
  confirmed_at: confirmed_at?.toISOString() ?? null,
  ended_at: ended_at?.toISOString() ?? null
})

export const sponsorshipsQuery =
  (db: Db, people: People) =>
  async ({ agent, ...page }: Queries["sponsorships"]["input"]): Promise<Queries["sponsorships"]["output"]> => {
    const found = db.selectFrom("sponsorships as s").where("s.agent", "=", agent)
    const listed = found.orderBy("s.id", "desc").select(COLUMNS).$narrowType<NarrowColumns>()
    const { total, rows } = await pageOf(found.select(COUNTED), listed, page)
    const known = await people(rows.map(({ human }) => human))
    return {
      total,
      items: rows.map((row): AgentSponsorship => {
        const { name = null, verification = "none" } = known.get(row.human) ?? {}
        const id = Number(row.id)
        return { id, sponsorship_id: id, human: { id: row.human, name, verification }, ...standing(row) }
      })
    }
  }

/** The sponsorships of a person. If there are more than OF_HUMAN_MAX, ended ones are left out first. */
export const sponsoredQuery =
  (db: Db, baseUrl: string) =>
  async ({ human }: Queries["sponsored"]["input"]): Promise<Queries["sponsored"]["output"]> => {
    const rows = await db
      .selectFrom("sponsorships as s")
      .innerJoin("agents as a", "a.id", "s.agent")
      .where("s.human", "=", human)
      .orderBy(sql`s.ended_at is not null`)
      .orderBy("s.id", "desc")
      .limit(OF_HUMAN_MAX)
      .select([...COLUMNS, "s.agent", "a.number", "a.handle", "a.name", "a.status as agent_status"])
      .$narrowType<NarrowColumns>()
      .execute()
    return rows
      .map((row) => {
        const { number, handle, name, agent_status: status } = row
        const agent = authorOf(row.agent, { number, handle, name, status }, baseUrl)
        return { id: Number(row.id), agent, ...standing(row) }
      })
      .toSorted((one, other) => other.id - one.id)
  }

/** The public list of a person's agents: visible ones, in the order in which they confirmed. */
export const sponsoredAgentsQuery =
  (db: Db, baseUrl: string) =>
  async ({ human }: Queries["sponsored_agents"]["input"]): Promise<Queries["sponsored_agents"]["output"]> => {
    const rows = await db
      .selectFrom("sponsorships as s")
      .innerJoin("agents as a", "a.id", "s.agent")
      .where("s.human", "=", human)
      .where("s.status", "=", "confirmed")
      .where("a.status", "in", ["active", "suspended"])
      .orderBy("s.confirmed_at")
      .orderBy("s.id")
      .limit(OF_HUMAN_MAX)
      .select(["s.agent", "a.number", "a.handle", "a.name", "a.status"])
      .execute()
    return rows.map((row) => authorOf(row.agent, row, baseUrl))
  }

export const sponsorsOf = async (
  db: Db,
  people: People,
  agents: ReadonlyArray<string>
): Promise<ReadonlyMap<string, ReadonlyArray<Sponsor>>> => {
  if (agents.length === 0) return new Map()
  const rows = await db
    .selectFrom("sponsorships as s")
    .where("s.status", "=", "confirmed")
    .where("s.agent", "in", [...agents])
    .orderBy("s.confirmed_at")
    .orderBy("s.id")
    .select([...COLUMNS, "s.agent"])
    .$narrowType<NarrowColumns>()
    .execute()
  const known = await people(rows.map(({ human }) => human))
  const sponsors = new Map<string, Array<Sponsor>>()
  for (const { agent, human, role, confirmed_at } of rows) {
    const person = known.get(human)
    // The account was deleted, so the sponsorship is about to end.
    if (person === undefined || confirmed_at === null) continue
    const { name, verification } = person
    const sponsor = {
      human_id: human,
      name,
      role,
      since: confirmed_at.toISOString(),
      verified: false,
      verification
    } as const
    sponsors.set(agent, [...(sponsors.get(agent) ?? []), sponsor])
  }
  return sponsors
}
