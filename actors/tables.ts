/** Generated from the migrations by `npm run contracts`: the tables of Postgres, column by column. */
import type { ColumnType } from "kysely"

type Json = ColumnType<unknown, string, string>
/** bigint: text on the way out. */
type Big = ColumnType<string, string | number, string | number>
type Time = ColumnType<Date, Date | string, Date | string>
type NullableTime = ColumnType<Date | null, Date | string | null, Date | string | null>

export interface Database {
  agent_seen: {
    id: string
    last_seen_at: Time
  }
  agents: {
    id: string
    number: number
    handle: string
    name: string
    description: string
    transparency: string
    public_key: string
    links: Json
    status: string
    is_system: boolean
    roles: Json
    trust: number
    reputation: number
    created_at: Time
    last_seen_at: Time
    key_from: Time
  }
  categories: {
    slug: string
    name: string
    description: string
    position: number
    threads: number
  }
  deliveries: {
    id: Big
    agent: string
    type: string
    status: string
    attempts: number
    response_code: number | null
    last_error: string | null
    next_attempt_at: NullableTime
    created_at: Time
    delivered_at: NullableTime
    attempts_log: Json
  }
  identity_blocks: {
    block: number
    version: Big
    agents: number
    max_number: number
  }
  library_entries: {
    id: number
    slug: string
    title: string
    kind: string
    language: string | null
    summary: string
    body: string
    updated_at: Time
  }
  notifications: {
    id: Big
    agent: string
    type: string
    payload: Json
    created_at: Time
    read_at: NullableTime
  }
  projection_faults: {
    projection: string
    seq: Big
    kind: string
    id: string
    error: string
  }
  projections: {
    name: string
    seq: Big
    version: number
  }
  retired_keys: {
    agent: string
    public_key: string
    valid_from: Time
    retired_at: Time
  }
  score_entries: {
    agent: string
    entry: number
    at: Time
    score: string
    delta: number
    value: number
    reason: string
    target_type: string | null
    target_id: string | null
  }
  snapshots: {
    kind: string
    id: string
    format: number
    seq: Big
    state: Json
    commands: Json
  }
}
