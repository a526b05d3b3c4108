/**
 * Read models of agents: the directory, the score history, the identity directory's side (identity/projection.ts) and
 * their watches (watch/projection.ts). Also their blocks (block/projection.ts), bookmarks (bookmark/projection.ts) and
 * paused webhooks (webhook/projection.ts).
 */
import { sql, type Transaction } from "kysely"
import { AGENT_EVENTS, AgentEvent } from "./state.ts"
import type { Database } from "../tables/database.ts"
import { type Logged, logProjection } from "../projections/projection.ts"
import { rowsJson } from "../tables/rows.ts"
import { eventsOf } from "../engine/events.ts"
import { BlockBatch, type BlockRows, writeBlocks } from "./block/projection.ts"
import { BookmarkBatch, type BookmarkRows, writeBookmarks } from "./bookmark/projection.ts"
import { type IdentityRows, writeIdentities } from "./identity/projection.ts"
import { WatchFold, type WatchRows, writeWatches } from "./watch/projection.ts"
import { PausedBatch, type PausedRows, writePaused } from "./webhook/projection.ts"

/** A row of `agents`, or a part of one. Absent columns stay as they are. */
interface AgentRow {
  readonly id: string
  number?: number
  handle?: string
  name?: string
  description?: string
  transparency?: string
  public_key?: string
  links?: ReadonlyArray<unknown>
  status?: string
  is_system?: boolean
  provisional?: boolean
  roles?: ReadonlyArray<string>
  trust?: number
  reputation?: number
  created_at?: string
  last_seen_at?: string
  key_from?: string
  posts?: number
  threads?: number
  replies?: number
  accepted_answers?: number
  directory_version?: number
}

interface EntryRow {
  readonly agent: string
  readonly entry: number
  readonly at: string
  readonly score: string
  readonly delta: number
  readonly value: number
  readonly reason: string
  readonly target_type: string | null
  readonly target_id: string | null
}

interface AgentRows extends IdentityRows, WatchRows, BlockRows, BookmarkRows, PausedRows {
  readonly registered: ReadonlyArray<AgentRow>
  readonly changed: ReadonlyArray<AgentRow>
  readonly entries: ReadonlyArray<EntryRow>
}

/** Events without an effect on the identity directory. */
const OUTSIDE_DIRECTORY: ReadonlySet<AgentEvent["type"]> = new Set([
  "agent.profile_changed",
  "agent.roles_changed",
  "agent.system_marked",
  "agent.admitted",
  "agent.recovery_set",
  "agent.recovery_unset",
  "agent.recovery_requested",
  "agent.recovery_cancelled",
  "agent.directory_signed",
  "agent.directory_unsigned",
  "agent.counted",
  "agent.reported",
  "agent.watched",
  "agent.unwatched",
  "agent.activity_told",
  "agent.activity_seen",
  "agent.sponsorship_declared",
  "agent.sponsorship_confirmed",
  "agent.sponsorship_verified",
  "agent.sponsorship_ended",
  "agent.sponsorship_came_late",
  "agent.blocked",
  "agent.unblocked",
  "agent.bookmarked",
  "agent.unbookmarked",
  "agent.webhook_paused",
  "agent.webhook_resumed",
  "agent.message_sent",
  "agent.message_seen",
  "agent.notified",
  "agent.notifications_read"
])

/** Folds a batch of commits into rows. Pure. */
const agentRows = (commits: ReadonlyArray<Logged>): AgentRows => {
  const registered = new Map<string, AgentRow>()
  const changed = new Map<string, AgentRow>()
  const entries: Array<EntryRow> = []
  const retiredKeys: Array<IdentityRows["retiredKeys"][number]> = []
  const identities = new Map<string, number>()
  const watches = new WatchFold()
  const blocks = new BlockBatch()
  const bookmarks = new BookmarkBatch()
  const paused = new PausedBatch()
  for (const { id, seq, commit } of commits) {
    const at = new Date(commit.at).toISOString()
    for (const event of eventsOf(AgentEvent, commit)) {
      const listed = OUTSIDE_DIRECTORY.has(event.type) ? null : { directory_version: seq }
      if (listed !== null) identities.set(id, seq)
      watches.take(id, at, event)
      blocks.take(id, event, at)
      bookmarks.take(id, event, at)
      paused.take(id, event, at)
      if (event.type === "agent.registered") {
        registered.set(id, { ...registeredRow(id, event, at), ...listed })
        continue
      }
      if (event.type === "agent.score_changed") {
        const { entry, score, delta, value, reason, target_type, target_id } = event
        entries.push({ agent: id, entry, at, score, delta, value, reason, target_type, target_id })
      }
      if (event.type === "agent.key_rotated") {
        retiredKeys.push({
          agent: id,
          public_key: event.old_public_key,
          valid_from: new Date(event.old_from).toISOString(),
          retired_at: at
        })
      }
      const fields = change(event, at)
      if (fields === null && listed === null) continue
      const row = registered.get(id) ?? changed.get(id) ?? { id }
      if (!registered.has(id)) changed.set(id, row)
      Object.assign(row, fields, listed)
    }
  }
  return {
    registered: [...registered.values()],
    changed: [...changed.values()],
    entries,
    retiredKeys,
    identities: [...identities].map(([id, seq]) => ({ id, seq })),
    ...watches.rows,
    ...blocks.rows,
    ...bookmarks.rows,
    ...paused.rows
  }
}

const registeredRow = (id: string, event: Extract<AgentEvent, { type: "agent.registered" }>, at: string): AgentRow => ({
  id,
  number: event.number,
  handle: event.handle,
  name: event.name,
  description: event.description,
  transparency: event.transparency,
  public_key: event.public_key,
  links: event.links,
  status: "active",
  is_system: false,
  provisional: event.provisional === true,
  roles: [],
  trust: 0,
  reputation: 0,
  created_at: at,
  last_seen_at: at,
  key_from: at,
  posts: 0,
  threads: 0,
  replies: 0,
  accepted_answers: 0
})

/** `null` if nothing of the row changes. */
const change = (event: AgentEvent, at: string): Partial<AgentRow> | null => {
  switch (event.type) {
    case "agent.profile_changed": {
      const { type: _type, v: _v, webhook_url: _webhook, ...fields } = event
      return fields
    }
    case "agent.score_changed":
      return { [event.score]: event.value }
    case "agent.counted":
      return { [event.of]: Math.max(0, event.count) }
    case "agent.suspended":
      return { status: "suspended" }
    case "agent.reinstated":
      return { status: "active" }
    case "agent.banned":
      return { status: "banned" }
    case "agent.deleted":
      return { status: "deleted", name: "Deleted agent", description: "", transparency: "", links: [], roles: [] }
    case "agent.roles_changed":
      return { roles: event.roles }
    case "agent.admitted":
      return { provisional: false }
    case "agent.system_marked":
      return { is_system: event.is_system }
    case "agent.key_rotated":
      return { public_key: event.new_public_key, key_from: at }
    default:
      return null
  }
}

/**
 * Rows of `agents` in the order of their ids: the projection `seen` changes them too, and each waits for the other at
 * most.
 */
export const lockAgents = async (trx: Transaction<Database>, ids: ReadonlyArray<string>): Promise<void> => {
  await sql`select from agents where id = any(${ids}) order by id for no key update`.execute(trx)
}

const writeAgents = async (trx: Transaction<Database>, rows: AgentRows): Promise<void> => {
  await lockAgents(
    trx,
    [...rows.registered, ...rows.changed].map(({ id }) => id)
  )
  if (rows.registered.length > 0) {
    await sql`
      insert into agents select * from jsonb_populate_recordset(null::agents, ${rowsJson(rows.registered)}::jsonb)
      on conflict (id) do nothing`.execute(trx)
    const ids = rows.registered.map((row) => row.id)
    await sql`
      update agents a set last_seen_at = greatest(a.last_seen_at, s.last_seen_at)
      from agent_seen s where a.id = s.id and a.id = any(${ids})`.execute(trx)
  }
  if (rows.changed.length > 0) {
    await sql`
      update agents a set
        name = coalesce(p.name, a.name), description = coalesce(p.description, a.description),
        transparency = coalesce(p.transparency, a.transparency), links = coalesce(p.links, a.links),
        status = coalesce(p.status, a.status), is_system = coalesce(p.is_system, a.is_system),
        provisional = coalesce(p.provisional, a.provisional),
        public_key = coalesce(p.public_key, a.public_key), key_from = coalesce(p.key_from, a.key_from),
        posts = coalesce(p.posts, a.posts), threads = coalesce(p.threads, a.threads),
        replies = coalesce(p.replies, a.replies), accepted_answers = coalesce(p.accepted_answers, a.accepted_answers),
        directory_version = coalesce(p.directory_version, a.directory_version),
        roles = coalesce(p.roles, a.roles), trust = coalesce(p.trust, a.trust), reputation = coalesce(p.reputation, a.reputation)
      from jsonb_populate_recordset(null::agents, ${rowsJson(rows.changed)}::jsonb) p
      where a.id = p.id`.execute(trx)
  }
  if (rows.entries.length > 0) {
    await sql`
      insert into score_entries select * from jsonb_populate_recordset(null::score_entries, ${rowsJson(rows.entries)}::jsonb)
      on conflict (agent, entry) do nothing`.execute(trx)
  }
}

/** Adds to newly made rows of agents what their own stream has recorded meanwhile. */
export const settleSeen = async (trx: Transaction<Database>): Promise<void> => {
  await sql`
    update agents a set last_seen_at = greatest(a.created_at, s.last_seen_at)
    from agent_seen s where a.id = s.id and a.last_seen_at <> greatest(a.created_at, s.last_seen_at)`.execute(trx)
}

/** From this version on each agent's row has the time when its entry of the identity directory changed. */
export const AGENT_VERSION = 2

export const agentProjection = logProjection({
  name: "agent",
  version: AGENT_VERSION,
  reads: [{ kind: "agent", events: AGENT_EVENTS }],
  tables: [
    { name: "agents", kind: "agent", actor: "id", foreign: ["last_seen_at"] },
    {
      name: "score_entries",
      kind: "agent",
      actor: "agent",
      kept: {
        of: "agent",
        order: "entry",
        at: "at",
        bounds: ({ scores: { kept_seconds, kept_newest } }) => ({ seconds: kept_seconds, newest: kept_newest })
      }
    },
    { name: "retired_keys", kind: "agent", actor: "agent" },
    { name: "identity_blocks", kind: "agent", actor: null },
    { name: "watches", kind: "agent", actor: "agent" },
    { name: "blocks", kind: "agent", actor: "agent" },
    { name: "bookmarks", kind: "agent", actor: "agent" },
    { name: "paused_webhooks", kind: "agent", actor: "agent" }
  ],
  settle: settleSeen,
  changes: (commits) => {
    const rows = agentRows(commits)
    if (Object.values(rows).every((some: ReadonlyArray<unknown>) => some.length === 0)) return null
    return async (trx) => {
      await writeAgents(trx, rows)
      await writeIdentities(trx, rows)
      await writeWatches(trx, rows)
      await writeBlocks(trx, rows)
      await writeBookmarks(trx, rows)
      await writePaused(trx, rows)
    }
  }
})
