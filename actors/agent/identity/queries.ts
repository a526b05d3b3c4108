/** Reads the identity directory by blocks or by changes (spec 2.5). */
import { type Kysely, sql } from "kysely"
import type { Queries } from "../../../schemas/bus/operations.ts"
import {
  DIRECTORY_BLOCK_SIZE,
  DIRECTORY_CHANGES_MAX,
  DIRECTORY_CHANGES_PAGE
} from "../../../schemas/identity/directory.ts"
import type { DirectoryEntry } from "../../../schemas/identity/records.ts"
import { agentNumber } from "../../../schemas/signing/identity.ts"
import { jwkOf } from "../../../schemas/signing/jwk.ts"
import type { Database } from "../../tables/database.ts"
import { AGENT_VERSION } from "./projection.ts"
import { idUrlOf, profileUrlOf, standingOf } from "./record.ts"

export const directoryQuery =
  (db: Kysely<Database>) =>
  async (input: Queries["directory"]["input"]): Promise<Queries["directory"]["output"]> => {
    // One statement, so that the sums and the blocks come from the same snapshot of the database.
    const { rows } = await sql<State>`
      select coalesce(max(version), 0)::float8 as version, coalesce(max(max_number), 0) as max_number,
        coalesce(sum(agents), 0)::integer as count,
        ${input.blocks ? sql`coalesce(json_agg(json_build_array(block, version) order by block), '[]')` : sql`'[]'::json`} as blocks
      from identity_blocks`.execute(db)
    return rows[0] ?? { version: 0, max_number: 0, count: 0, blocks: [] }
  }

type State = Queries["directory"]["output"]

interface Row {
  readonly number: number
  readonly handle: string
  readonly status: string
  readonly provisional: boolean | null
  readonly public_key: string
  readonly trust: number
  readonly reputation: number
  readonly key_from: Date | string
  readonly retired: ReadonlyArray<{
    readonly public_key: string
    readonly from: string
    readonly retired_at: string
  }> | null
}

export const directoryBlockQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async (input: Queries["directory_block"]["input"]): Promise<Queries["directory_block"]["output"]> => {
    const from = input.block * DIRECTORY_BLOCK_SIZE
    const { rows } = await sql<Row>`
      select ${ENTRY} from agents a ${RETIRED}
      where a.number >= ${from} and a.number < ${from + DIRECTORY_BLOCK_SIZE}
      order by a.number`.execute(db)
    return {
      count: rows.length,
      max_number: rows.at(-1)?.number ?? 0,
      agents: Object.fromEntries(rows.map((row) => [agentNumber(row.number), entryOf(row, baseUrl)]))
    }
  }

const ENTRY = sql`
  a.number, a.handle, a.status, a.provisional, a.public_key, a.trust, a.reputation, a.key_from, k.retired`
const RETIRED = sql`
  left join lateral (
    select json_agg(
      json_build_object('public_key', r.public_key, 'from', r.valid_from, 'retired_at', r.retired_at)
      order by r.valid_from
    ) as retired
    from retired_keys r where r.agent = a.id
  ) k on true`

type Changed = Row & { readonly directory_version: number }

interface FoundDirectory extends State {
  /** True if the projection's version is high enough for each row to have `directory_version`. */
  readonly isVersioned: boolean
  readonly behind: number
  readonly changed: ReadonlyArray<Changed>
}

/** Uses one statement, so that the changes and the directory's state come from the same snapshot of the database. */
export const directoryChangesQuery =
  (db: Kysely<Database>, baseUrl: string) =>
  async ({ since }: Queries["directory_changes"]["input"]): Promise<Queries["directory_changes"]["output"]> => {
    const { rows } = await sql<FoundDirectory>`
      with page as (
        select a.directory_version, ${ENTRY} from agents a ${RETIRED}
        where a.directory_version > ${since} order by a.directory_version limit ${DIRECTORY_CHANGES_PAGE}
      )
      select coalesce(max(version), 0)::float8 as version, coalesce(max(max_number), 0) as max_number,
        coalesce(sum(agents), 0)::integer as count, '[]'::json as blocks,
        coalesce((select version >= ${AGENT_VERSION} from projections where name = 'agent'), false) as "isVersioned",
        (
          select count(*)::integer from (
            select from agents where directory_version > ${since} limit ${DIRECTORY_CHANGES_MAX + 1}
          ) later
        ) as behind,
        (select coalesce(json_agg(page order by page.directory_version), '[]') from page) as changed
      from identity_blocks`.execute(db)
    const [found] = rows
    if (found === undefined) throw new Error("Postgres answers an aggregate with one row")
    const { isVersioned, behind, changed, ...state } = found
    if (!isVersioned || since > state.version || behind > DIRECTORY_CHANGES_MAX) return { ...state, changes: null }
    const reached = behind > changed.length ? (changed.at(-1)?.directory_version ?? since) : state.version
    const agents = Object.fromEntries(changed.map((row) => [agentNumber(row.number), entryOf(row, baseUrl)]))
    return { ...state, changes: { reached, agents } }
  }

const iso = (time: Date | string): string => new Date(time).toISOString()

const entryOf = (row: Row, baseUrl: string): DirectoryEntry => {
  const id = agentNumber(row.number)
  const gone = row.status === "deleted"
  const retired = (row.retired ?? []).map((key) => ({
    public_key: key.public_key,
    status: "retired" as const,
    from: iso(key.from),
    retired_at: iso(key.retired_at)
  }))
  return {
    id,
    handle: row.handle,
    ...standingOf(row.status),
    ...(row.provisional === true ? { provisional: true } : {}),
    public_key: gone ? null : row.public_key,
    public_key_jwk: gone ? null : jwkOf(row.public_key),
    keys: gone ? [] : [...retired, { public_key: row.public_key, status: "current", from: iso(row.key_from) }],
    trust: row.trust,
    reputation: row.reputation,
    profile_url: profileUrlOf(row.status, row.handle, baseUrl),
    id_url: idUrlOf(id, baseUrl)
  }
}
