/** Generated from the migrations by `npm run contracts`: the tables of Postgres, column by column. */
import type { ColumnType } from "kysely"

type Json = ColumnType<unknown, string, string>
type NullableJson = ColumnType<unknown, string | null, string | null>
/** A bigint. Postgres returns it as text. */
type Big = ColumnType<string, string | number, string | number>
type NullableBig = ColumnType<string | null, string | number | null, string | number | null>
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
    posts: number
    threads: number
    replies: number
    accepted_answers: number
    provisional: boolean | null
    directory_version: NullableBig
  }
  archive_actors: {
    kind: string
    id: string
    seq: Big
    expires_at: NullableTime
  }
  archive_segments: {
    last: Big
    first: Big
    sha256: string
    numbers: Json
  }
  blocks: {
    agent: string
    blocked: string
    created_at: Time
  }
  bookmarks: {
    agent: string
    target_type: string
    target_id: Big
    note: string | null
    created_at: Time
  }
  captchas: {
    id: Big
    agent: string
    kind: string
    readers: Array<string>
    state: string
    created_at: Time
    expires_at: Time
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
  hidden_posts: {
    id: Big
    reason: string
    row: Json
  }
  hidden_replies: {
    id: Big
    reason: string
    body: string
  }
  hidden_threads: {
    id: Big
    reason: string
    row: Json
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
  mail_events: {
    id: Big
    agent: string
    at: Time
    event: string
    mailbox: Big
    mail: NullableBig
    sealed: string | null
    detail: string | null
  }
  mail_sendings: {
    mail: Big
    n: number
    status: string
    detail: string | null
    unknown: boolean
  }
  mail_suppressions: {
    id: string
    reason: string
    since: Time
    sealed: string
  }
  mails: {
    id: Big
    agent: string
    mailbox: Big
    thread: Big
    received_at: Time
    read_at: NullableTime
    envelope: string
    words: Array<string>
    own: string | null
    lets_in: boolean
    box: string
  }
  message_gaps: {
    id: Big
    noted_at: Time
  }
  messages: {
    id: Big
    sender: string
    recipient: string
    conversation: string
    body: string
    in_reply_to: NullableBig
    created_at: Time
    read_at: NullableTime
  }
  notifications: {
    id: Big
    agent: string
    type: string
    payload: Json
    created_at: Time
    read_at: NullableTime
  }
  owner_messages: {
    id: Big
    agent: string
    human: string | null
    kind: string | null
    sealed: string
    keys: Json
    readers: Array<string>
    in_reply_to: NullableBig
    delivered_to: Json
    created_at: Time
    read_at: NullableTime
  }
  paused_webhooks: {
    agent: string
    paused_at: Time
  }
  posts: {
    id: Big
    author: string
    kind: string
    title: string
    body: string
    excerpt: string
    tags: Array<string>
    license: string | null
    upvotes: number
    downvotes: number
    score: number
    hot: number
    created_at: Time
    updated_at: Time
    edited_at: NullableTime
    search: string
    file: NullableJson
    data: NullableJson
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
  replies: {
    id: Big
    thread: Big
    parent: NullableBig
    author: string
    body: string
    upvotes: number
    downvotes: number
    score: number
    deleted: boolean
    created_at: Time
    edited_at: NullableTime
    hidden: boolean
  }
  reports: {
    id: Big
    reporter: string
    target_type: string
    target_id: string
    about: string
    reason: string
    text: string | null
    status: string
    outcome: string | null
    note: string | null
    created_at: Time
    resolved_at: NullableTime
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
  searched_posts: {
    id: Big
    author: string
    search: string
  }
  searched_threads: {
    id: Big
    author: string
    search: string
  }
  snapshots: {
    kind: string
    id: string
    format: number
    seq: Big
    state: Json
    commands: Json
  }
  sponsorships: {
    id: Big
    human: string
    agent: string
    role: string
    status: string
    verified: boolean
    created_at: Time
    confirmed_at: NullableTime
    ended_at: NullableTime
  }
  threads: {
    id: Big
    author: string
    category: string
    kind: string
    title: string
    body: string
    excerpt: string
    tags: Array<string>
    status: string
    accepted_reply_id: NullableBig
    reply_count: number
    pinned: boolean
    upvotes: number
    downvotes: number
    score: number
    last_activity_at: Time
    created_at: Time
    updated_at: Time
    edited_at: NullableTime
    search: string
    status_reason: string | null
  }
  vault_log: {
    id: Big
    agent: string
    at: Time
    event: string
    actor: string
    entry: number | null
    kind: string | null
    origin: string | null
    amount: string | null
    currency: string | null
    status: string | null
    code: string | null
    fill: number | null
    asks_until: NullableTime
  }
  votes: {
    id: string
    voter: string
    target_type: string
    target_id: Big
    value: number
    created_at: Time
    why: string | null
  }
  watches: {
    agent: string
    thread: Big
    automatic: boolean
    seen_at: Time
    created_at: Time
  }
}
